package ignore

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// typical has the size and kinds of patterns of the templates for new projects.
const typical = `__pycache__/
*.py[cod]
*$py.class
*.so
.Python
/build/
develop-eggs/
dist/
downloads/
eggs/
.eggs/
lib64/
parts/
sdist/
var/
wheels/
share/python-wheels/
*.egg-info/
.installed.cfg
*.egg
MANIFEST
*.manifest
*.spec
pip-log.txt
htmlcov/
.tox/
.coverage
.coverage.*
.cache
nosetests.xml
coverage.xml
*.cover
*.mo
*.pot
*.log
local_settings.py
db.sqlite3
instance/
.webassets-cache
.scrapy
docs/_build/
.ipynb_checkpoints
profile_default/
celerybeat-schedule
*.sage.py
.spyderproject
/site
.mypy_cache/
**/generated/*.go
!important.log
`

func BenchmarkMatch(b *testing.B) {
	dir := b.TempDir()
	writeFile(b, filepath.Join(dir, ".gitignore"), typical)
	writeFile(b, filepath.Join(dir, "src/.gitignore"), "*.tmp\n/out\n")
	writeFile(b, filepath.Join(dir, "src/pkg/deep/x.go"), "x")
	r := open(b, dir)
	for _, path := range []string{"main.go", "src/pkg/deep/handler_test.go", "src/pkg/deep/x.pyc"} {
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Match(path, false)
			}
		})
	}
}

func BenchmarkWalk(b *testing.B) {
	dir := b.TempDir()
	const dirs, files = 200, 50
	for i := range dirs {
		sub := filepath.Join(dir, fmt.Sprintf("d%d/s%d", i%20, i))
		if err := os.MkdirAll(sub, 0o777); err != nil {
			b.Fatal(err)
		}
		for k := range files {
			if err := os.WriteFile(filepath.Join(sub, fmt.Sprintf("f%d.go", k)), nil, 0o666); err != nil {
				b.Fatal(err)
			}
		}
	}
	writeFile(b, filepath.Join(dir, ".gitignore"), typical)
	b.ReportAllocs()
	for b.Loop() {
		r := open(b, dir)
		n := 0
		if _, err := r.Walk(b.Context(), "", func(Entry) error { n++; return nil }); err != nil || n < dirs*files {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(dirs*files), "ns/file")
}
