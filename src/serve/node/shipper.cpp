#include "serve/node/shipper.hpp"

#include <fmt/format.h>

#include "serve/node/parcel.hpp"

namespace neuralts::serve {

bool Shipper::step(std::size_t limit) {
  if (!known_) shipped_ = shared_.shipped(writer_);
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
    shipped_ = shared_.ship(writer_, parcels);
    shipped_us_ = parcels.back().time_us;
  }
  known_ = true;
  return parcels.size() == limit;
}

}  // namespace neuralts::serve
