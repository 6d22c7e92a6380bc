#include "serve/node/shipper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "serve/node/parcel.hpp"

namespace neuralts::serve {

void Shipper::look() {
  const Sequence there = shared_.shipped(writer_);
  if (there > sent_) throw NumberTaken(writer_, there, sent_);
  shipped_ = there;
  known_ = met_ = true;
}

/// What was sent and not answered may be there.
Sequence Shipper::send(std::span<Parcel> parcels) {
  const Sequence before = sent_;
  sent_ = std::max(sent_, parcels.back().origin);
  try {
    return shared_.ship(writer_, parcels, before);
  } catch (const NumberTaken&) {
    sent_ = before;
    throw;
  }
}

bool Shipper::step(std::size_t limit) {
  if (!known_) look();
  known_ = false;  // until this batch has been answered
  std::vector<Parcel> parcels;
  while (parcels.size() < limit) {
    const Sequence next = shipped_ + parcels.size() + 1;
    auto record = reader_->find(next);
    if (!record && parcels.empty() && next < spool_.info().last)
      throw Error(
          ErrorCode::corrupt, "spool",
          fmt::format("record {} is gone, and the shared journal has none beyond {}", next, shipped_.load()),
          "was the shared journal restored from an old copy?");
    if (!record) break;
    Parcel& parcel = parcels.emplace_back();
    parcel.origin = record->sequence;
    parcel.time_us = record->time_us;
    parcel.entry = unwrap(record->payload);
    if (parcel.entry.loop == 0) parcel.entry.loop = record->loop;  // of a name: the spool has found the event
  }
  if (!parcels.empty()) {
    shipped_ = send(parcels);
    shipped_us_ = parcels.back().time_us;
  }
  known_ = true;
  return parcels.size() == limit;
}

}  // namespace neuralts::serve
