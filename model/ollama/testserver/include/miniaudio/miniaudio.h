// Stands in for the miniaudio library when Ollama is built from its Go module.
//
// Go leaves folders named "vendor" out of module archives, and with them this
// header, which Ollama's multimodal helper includes to decode sound. A code
// model is never given sound, so it is enough that the helper compiles: the
// types are empty, and every function says that it is not implemented.
#pragma once

#include <cstddef>
#include <cstdint>

using ma_result = int;
using ma_uint64 = std::uint64_t;

constexpr ma_result MA_SUCCESS = 0;
constexpr ma_result MA_NOT_IMPLEMENTED = -29;

enum ma_format { ma_format_f32 = 5 };

struct ma_decoder {};
struct ma_decoder_config {};

inline ma_decoder_config ma_decoder_config_init(ma_format, std::uint32_t, std::uint32_t) {
  return {};
}

inline ma_result ma_decoder_init_memory(const void *, std::size_t, const ma_decoder_config *, ma_decoder *) {
  return MA_NOT_IMPLEMENTED;
}

inline ma_result ma_decoder_get_length_in_pcm_frames(ma_decoder *, ma_uint64 *frames) {
  *frames = 0;
  return MA_NOT_IMPLEMENTED;
}

inline ma_result ma_decoder_read_pcm_frames(ma_decoder *, void *, ma_uint64, ma_uint64 *read) {
  if (read != nullptr) {
    *read = 0;
  }
  return MA_NOT_IMPLEMENTED;
}

inline ma_result ma_decoder_uninit(ma_decoder *) { return MA_SUCCESS; }
