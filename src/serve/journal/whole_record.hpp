// A record as an engine gives it back: what no journal writes is refused, before anything is computed from
// it.
#pragma once

#include <fmt/format.h>

#include "serve/journal/journal.hpp"

namespace neuralts::serve {

/// Throws Error(corrupt).
inline Record whole_record(Sequence sequence, std::int64_t kind, std::int64_t loop, std::int64_t time_us,
                           Sequence target, std::string_view payload) {
  constexpr std::int64_t end_us = 253'402'300'800'000'000;  // of the year 9999
  if (kind < bigint(static_cast<std::uint64_t>(Kind::event)) ||
      kind > bigint(static_cast<std::uint64_t>(Kind::parcel)) || loop < 0 || loop > UINT32_MAX ||
      time_us < 0 || time_us >= end_us)
    throw Error(ErrorCode::corrupt, "journal", fmt::format("record {} is damaged", sequence),
                "restore the segment from a backup");
  return {sequence, static_cast<Kind>(kind), static_cast<std::uint32_t>(loop), time_us,
          target,   std::string(payload)};
}

}  // namespace neuralts::serve
