// The figures of an evaluation, as SVG text, at most `width` wide.
#pragma once

#include <string>

#include "neuralts/evaluate.hpp"

namespace neuralts {

/// Every policy's value by the estimators, with intervals.
std::string value_chart(const Evaluation& evaluation, double width);
/// Running value of each policy with bands that hold at all times at once; empty without a course.
std::string course_chart(const Evaluation& evaluation, double width);
/// How many events have which weight, and how much of the answer rests on them.
std::string weights_chart(const PolicyValue& policy, double width);
/// Frequency of actions against their logged probability; empty where the log does not hold all probabilities.
std::string calibration_chart(const Diagnostics& diagnostics, double width);

}  // namespace neuralts
