package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

const (
	// maxFrame bounds one message. The largest that editors send is a whole
	// document at didOpen; JSON escapes can multiply its size.
	maxFrame = 64 << 20
	// maxHeader bounds all header lines of one message: two are defined, and
	// both are short.
	maxHeader = 4 << 10
)

// A stream reads messages with bounds of its own: the library takes bodies of
// up to 1 GiB and header lines without end, and ends the connection at the
// first body that is not JSON.
//
// A header that cannot be understood does end the connection, since nobody knows
// where the next message starts. A body that cannot be understood is skipped and
// answered with a parse error: its length was known.
type stream struct {
	jsonrpc2.Stream // writes and closes
	in              *bufio.Reader
	ended           *atomic.Bool // set once "exit" was seen: nothing is read behind it
}

func newStream(rwc io.ReadWriteCloser, ended *atomic.Bool) *stream {
	return &stream{Stream: jsonrpc2.NewStream(rwc), in: bufio.NewReader(rwc), ended: ended}
}

// Read returns the next message that is one.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if s.ended.Load() {
			return nil, 0, io.EOF
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		body, n, err := readFrame(s.in)
		if err != nil {
			return nil, 0, err
		}
		msg, err := jsonrpc2.DecodeMessage(body)
		if err == nil {
			return msg, n, nil
		}
		reply := jsonrpc2.Errorf(jsonrpc2.ParseError, "message of %d bytes skipped: %v", len(body), err)
		if _, err := s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, reply)); err != nil {
			return nil, 0, err
		}
	}
}

// readFrame reads one header block and its body. The error is io.EOF only
// between two messages.
func readFrame(r *bufio.Reader) (body []byte, n int64, err error) {
	length, header, err := readHeader(r)
	if err != nil {
		return nil, 0, err
	}
	// Read as it comes: a length that is only claimed costs no memory.
	var b strings.Builder
	if _, err := io.CopyN(&b, r, int64(length)); err != nil {
		return nil, 0, fmt.Errorf("lsp: the connection ended inside a message (%d of %d bytes): %w",
			b.Len(), length, io.ErrUnexpectedEOF)
	}
	return []byte(b.String()), int64(header + length), nil
}

// readHeader returns the Content-Length and how many bytes the header took.
func readHeader(r *bufio.Reader) (length, size int, err error) {
	length = -1
	for {
		line, err := readHeaderLine(r, maxHeader-size)
		size += len(line)
		if err != nil {
			if err == io.EOF && size > 0 {
				err = fmt.Errorf("lsp: the connection ended inside a header: %w", io.ErrUnexpectedEOF)
			}
			return 0, size, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, size, fmt.Errorf("lsp: %q is no header line: expected Content-Length (is something else writing to the server's input?)", clip(line, 60))
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil || length < 0 {
				return 0, size, fmt.Errorf("lsp: Content-Length %q is no length", clip(strings.TrimSpace(value), 60))
			}
		}
	}
	switch {
	case length < 0:
		return 0, size, errors.New("lsp: a message came without Content-Length")
	case length > maxFrame:
		return 0, size, fmt.Errorf("lsp: a message of %d bytes is over the limit of %d", length, maxFrame)
	}
	return length, size, nil
}

// readHeaderLine reads up to and including the next \n, at most limit bytes.
func readHeaderLine(r *bufio.Reader, limit int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit {
			return string(line[:limit]), fmt.Errorf("lsp: a message header is over the limit of %d bytes", maxHeader)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// clip shortens s to at most n bytes for a message.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// codec makes JSON of results and parameters with the protocol's own
// union-aware marshaller, which the library keeps to itself.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		if raw == nil {
			return []byte("null"), nil
		}
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}
