#include "report/svg_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/report_tables.hpp"

namespace neuralts {

namespace {

constexpr double right = 16, top = 34, bottom = 44;
constexpr double letter = 6.6;  // about the width of one

double width_of(const std::string& label) { return letter * static_cast<double>(label.size()); }

// The end of a label that is longer than there is room for: there it differs from others.
std::string fitting(const std::string& label, double room) {
  if (width_of(label) < room + 1) return label;
  std::size_t from = label.size() - static_cast<std::size_t>(room / letter) + 1;
  while (from < label.size() && (label[from] & 0xC0) == 0x80) ++from;  // within a character
  return "\u2026" + label.substr(from);
}
// Distinguishable with every common colour blindness (Okabe and Ito).
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
const char* colour_of(std::size_t index) { return colours[index % colours.size()]; }

std::vector<std::pair<double, std::string>> round_marks(double low, double high) {
  const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough))), share = rough / power;
  const double step = (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
  std::vector<std::pair<double, std::string>> marks;
  for (double at = std::ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step)
    marks.emplace_back(at, fmt::format("{:.4g}", std::abs(at) < 1e-9 * step ? 0 : at));
  return marks;
}

void settle(SvgPlot::Axis& axis) {
  if (!(axis.high > axis.low)) axis.low -= 0.5, axis.high = axis.low + 1;
  if (axis.marks.empty()) axis.marks = round_marks(axis.low, axis.high);
}

}  // namespace

SvgPlot::SvgPlot(std::string title, Axis x, Axis y, double width, double height)
    : x_(std::move(x)), y_(std::move(y)), width_(width), height_(height), left_(64) {
  settle(x_);
  settle(y_);
  for (const auto& [at, label] : y_.marks)
    left_ = std::max(left_, std::min({220.0, 0.55 * width_, 30 + width_of(label)}));
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" "
      "aria-label=\"{}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">",
      width_, height_, width_, escape_html(title));
  draw_axes(title);
}

double SvgPlot::px(double x) const {
  return left_ + (std::clamp(x, x_.low, x_.high) - x_.low) / (x_.high - x_.low) * (width_ - right - left_);
}
double SvgPlot::py(double y) const {
  return height_ - bottom -
         (std::clamp(y, y_.low, y_.high) - y_.low) / (y_.high - y_.low) * (height_ - bottom - top);
}

void SvgPlot::draw_axes(const std::string& title) {
  double taken = -HUGE_VAL;
  for (const auto& [at, label] : x_.marks) {
    const double half = width_of(label) / 2, middle = std::min(px(at), width_ - half);
    if (middle - half < taken) continue;
    taken = middle + half + letter;
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", middle,
                         height_ - bottom + 16, escape_html(label));
  }
  for (const auto& [at, label] : y_.marks) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"currentColor\" "
        "stroke-opacity=\"0.15\"/>",
        left_, width_ - right, py(at), py(at));
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left_ - 6,
                         py(at) + 4, escape_html(fitting(label, left_ - 30)));
  }
  const auto room = [this](double from) { return 0.85 * (width_ - from); };  // bold letters are wider
  const double from = width_of(title) < room(left_) ? left_ : 8;
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"18\" font-weight=\"bold\">{}</text>", from, escape_html(fitting(title, room(from))));
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                       (left_ + width_ - right) / 2, height_ - 8, escape_html(x_.label));
  body_ += fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                       (top + height_ - bottom) / 2, escape_html(y_.label));
}

void SvgPlot::line(const std::vector<double>& x, const std::vector<double>& y, std::size_t colour, bool dashed) {
  std::string points;
  for (std::size_t i = 0; i < x.size(); ++i) points += fmt::format("{:.1f},{:.1f} ", px(x[i]), py(y[i]));
  body_ += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{} points=\"{}\"/>",
                       colour_of(colour), dashed ? " stroke-dasharray=\"5 4\"" : "", points);
}

void SvgPlot::band(const std::vector<double>& x, const std::vector<double>& low,
                   const std::vector<double>& high, std::size_t colour) {
  std::string points;
  for (std::size_t i = 0; i < x.size(); ++i) points += fmt::format("{:.1f},{:.1f} ", px(x[i]), py(high[i]));
  for (std::size_t i = x.size(); i-- > 0;) points += fmt::format("{:.1f},{:.1f} ", px(x[i]), py(low[i]));
  body_ += fmt::format("<polygon fill=\"{}\" fill-opacity=\"0.15\" points=\"{}\"/>", colour_of(colour), points);
}

void SvgPlot::bar(double from, double to, double height, std::size_t colour, const std::string& says) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "fill=\"{}\"><title>{}</title></rect>",
      px(from), py(height), px(to) - px(from), py(y_.low) - py(height), colour_of(colour), escape_html(says));
}

void SvgPlot::point(double x, double y, std::size_t colour, const std::string& says) {
  body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>",
                       px(x), py(y), colour_of(colour), escape_html(says));
}

void SvgPlot::whisker(double x1, double x2, double y, std::size_t colour) {
  body_ += fmt::format(
      "<line x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"2.2\"/>",
      px(x1), px(x2), py(y), py(y), colour_of(colour));
}

void SvgPlot::legend(const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">{}</text>",
                         width_ - right - 4, top + 10 + 15 * static_cast<double>(i), colour_of(i),
                         escape_html(fitting(names[i], width_ - right - left_)));
}

}  // namespace neuralts
