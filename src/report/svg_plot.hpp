// A figure as SVG text, drawn piece by piece in data's own units: lines, bands, bars, points with whiskers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace neuralts {

class SvgPlot {
 public:
  struct Axis {
    std::string label{};
    double low = 0, high = 1;
    std::vector<std::pair<double, std::string>> marks{};  ///< empty: round numbers
  };
  SvgPlot(std::string title, Axis x, Axis y, double width = 560, double height = 320);

  void line(const std::vector<double>& x, const std::vector<double>& y, std::size_t colour, bool dashed = false);
  void band(const std::vector<double>& x, const std::vector<double>& low, const std::vector<double>& high,
            std::size_t colour);
  void bar(double from, double to, double height, std::size_t colour, const std::string& says);
  void point(double x, double y, std::size_t colour, const std::string& says);
  /// From (x1, y) to (x2, y).
  void whisker(double x1, double x2, double y, std::size_t colour);
  void legend(const std::vector<std::string>& names);

  /// One <svg> element.
  std::string text() const { return body_ + "</svg>\n"; }

 private:
  double px(double x) const;
  double py(double y) const;
  void draw_axes(const std::string& title);
  Axis x_, y_;
  double width_, height_, left_;
  std::string body_;
};

}  // namespace neuralts
