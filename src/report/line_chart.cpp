#include "report/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace neuralts {

namespace {

constexpr double width = 560, height = 340, left = 64, right = 16, top = 34, bottom = 44;
// Distinguishable with every common colour blindness (Okabe and Ito), dark enough on white and light enough on black.
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

// Values to places, and the ticks worth a label.
struct Axis {
  bool log = false;
  double low = std::numeric_limits<double>::infinity(), high = -low, from = 0, to = 1;

  bool shows(double value) const { return std::isfinite(value) && (!log || value > 0); }
  double scale(double value) const { return log ? std::log10(value) : value; }
  void cover(double value) {
    low = std::min(low, scale(value));
    high = std::max(high, scale(value));
  }
  void settle() {
    if (!(low <= high)) low = 0, high = 1;
    if (low == high) high = low + 1;
  }
  double place(double scaled) const { return from + (scaled - low) / (high - low) * (to - from); }
  // Steps of 1, 2 or 5 times a power of ten, about five of them.
  std::vector<double> ticks() const {
    const double rough = (high - low) / 5, power = std::pow(10, std::floor(std::log10(rough))), share = rough / power;
    double step = (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
    if (log) step = std::max(step, 1.0);
    std::vector<double> marks;
    for (double at = std::ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step) marks.push_back(at);
    return marks;
  }
  std::string label(double scaled) const {
    return log ? fmt::format("{:.4g}", std::pow(10, scaled)) : fmt::format("{:.4g}", std::abs(scaled) < 1e-12 * (high - low) ? 0 : scaled);
  }
};

void draw_axes(const LineChart& chart, const Axis& x, const Axis& y, std::string& svg) {
  for (const double mark : x.ticks())
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x.place(mark), height - bottom + 16, x.label(mark));
  for (const double mark : y.ticks()) {
    const double at = y.place(mark);
    svg += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/>", left, width - right, at, at);
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 6, at + 4, y.label(mark));
  }
  svg += fmt::format("<text x=\"{}\" y=\"18\" font-weight=\"bold\">{}</text>", left, escape(chart.title));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", (left + width - right) / 2, height - 8, escape(chart.x_label));
  svg += fmt::format("<text transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>", (top + height - bottom) / 2, escape(chart.y_label));
}

void draw_line(const ChartLine& line, std::size_t index, const Axis& x, const Axis& y, std::string& svg) {
  const char* colour = colours[index % colours.size()];
  std::string points;
  for (std::size_t i = 0; i < line.x.size(); ++i)
    if (x.shows(line.x[i]) && y.shows(line.y[i])) points += fmt::format("{:.1f},{:.1f} ", x.place(x.scale(line.x[i])), y.place(y.scale(line.y[i])));
  svg += fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"{} points=\"{}\"/>", colour, line.dashed ? " stroke-dasharray=\"5 4\"" : "", points);
  const double at = top + 6 + 15 * static_cast<double>(index);
  svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\" fill=\"{}\">{}</text>", width - right - 4, at + 4, colour, escape(line.label));
}

}  // namespace

std::string to_svg(const LineChart& chart) {
  Axis x{.log = chart.log_x}, y{.log = chart.log_y};
  for (const auto& line : chart.lines)
    for (std::size_t i = 0; i < line.x.size(); ++i)
      if (x.shows(line.x[i]) && y.shows(line.y[i])) {
        x.cover(line.x[i]);
        y.cover(line.y[i]);
      }
  x.settle();
  y.settle();
  x.from = left, x.to = width - right, y.from = height - bottom, y.to = top;
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" role=\"img\" aria-label=\"{}\" "
                                "font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">", width, height, width, escape(chart.title));
  draw_axes(chart, x, y, svg);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(chart.lines[i], i, x, y, svg);
  return svg + "</svg>\n";
}

}  // namespace neuralts
