// Python's dictionaries, rows of frames and plain ids as flat lists of fields.
#pragma once

#include "bind.hpp"
#include "neuralts/fields.hpp"

namespace neuralts::python {

/// A list, a frame with a row per action, or anything else that can be gone through, once, as a list.
py::list rows_of(const py::object& actions);

/// What a decision is made between. Row 0 of the table is the context. TypeError naming the field for what is
/// neither a number, a text, a truth value, nothing, a list nor a dictionary.
FieldTable to_objects(const py::object& context, const py::list& rows);

/// The id of every action as it was given: of a dictionary its "id", of anything else the thing itself; None:
/// it has none.
py::list action_ids(const py::list& rows);

/// A row back as a dictionary; repeated names are lists.
py::dict to_dict(Fields fields);

}  // namespace neuralts::python
