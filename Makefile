# Shortcuts; nothing here is needed to build or test (see README).
.PHONY: test ci quick bench ollama editors release reproducible

test: ## what README says
	go test ./...

ci: ## everything that must hold on main
	.ci/run

quick: ## the part of ci that takes a minute
	.ci/run quick

bench: ## every benchmark once
	go test -run '^$$' -bench . -benchtime 1x ./...

ollama: ## a real Ollama server for the tests, from source (about ten minutes)
	model/ollama/testserver/build.sh .tools/ollama

editors: ## real editors for the tests (a minute)
	editors/e2e/get-editors.sh .tools/editors

release: ## binaries for TARGETS (default: this machine), in .tools/release: make release VERSION=v1.2.3
	cmd/readahead/release/build.sh .tools/release $(or $(VERSION),$(shell git describe --tags --always --dirty)) $(TARGETS)

reproducible: ## build twice, in two folders, and compare (minutes)
	cmd/readahead/release/check.sh .tools/reproducible
