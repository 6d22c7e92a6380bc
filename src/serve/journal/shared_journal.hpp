// A journal that several nodes share: what its engine offers beyond a journal. The records of all nodes have
// one order in it, the order of their commits, so that what is learned stays a function of the journal.
#pragma once

#include "serve/journal/journal.hpp"

namespace neuralts::serve {

/// An entry of a node's spool on its way to the shared journal.
struct Parcel {
  Sequence origin = 0;       ///< its place in the spool
  std::int64_t time_us = 0;  ///< when the spool stored it
  Entry entry;
};

/// Records of a writer are in the shared journal that whoever ships for it has not sent. Nothing was stored.
class NumberTaken : public Error {
 public:
  NumberTaken(std::uint16_t writer, Sequence there, Sequence sent);
};

class SharedJournal : public Journal {
 public:
  /// The number of the node of that name, from 1 on, for ever; a new name gets the next free one, and its
  /// spool counts as shipped up to `shipped`. Throws JournalError.
  virtual std::uint16_t writer(const std::string& node, Sequence shipped) = 0;
  /// The last record of the writer's spool that is here; 0: none.
  virtual Sequence shipped(std::uint16_t writer) = 0;
  /// Stores what is not here yet; what is, is passed over, however often it comes. Returns shipped(). `sent`:
  /// the last record that this caller may have stored before; throws NumberTaken when there are others.
  /// REQUIRES parcels in the order of the spool and without a gap, the first no later than shipped() + 1.
  /// Durable when it returns. One thread at a time.
  virtual Sequence ship(std::uint16_t writer, std::span<Parcel> parcels, Sequence sent) = 0;

  /// True while this process is the one that learns. Asked again and again, a second apart or so: the first
  /// call to find the place free takes it, and it is free when its holder has been silent for ten. From then
  /// on checkpoints and models of an earlier holder are refused. Never throws. One thread.
  virtual bool lead() = 0;
  /// Gives the place up.
  virtual void resign() = 0;
  /// Returns when a model or a setting was stored by any process, or after `timeout_ms`. Throws JournalError.
  /// One thread.
  virtual void wait_for_change(int timeout_ms) = 0;
};

}  // namespace neuralts::serve
