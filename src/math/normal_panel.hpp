// One panel of the Thompson integral: sixteen nodes on the score axis, all arms that matter there.
#pragma once

#include <cstddef>
#include <span>

namespace neuralts::math {

constexpr std::size_t panel_nodes = 16;

/// Normal draws, arm j ~ N(center[j], 1 / inverse[j]^2), seen from a common origin.
struct NormalArms {
  std::span<const double> center, inverse;
};

/// Working memory, of one arm: its pdf times the cdfs of the arms before it, and its own cdf.
struct ArmAtNodes {
  double led[panel_nodes], cdf[panel_nodes];
};

/// Adds to mass[j] the integral over [bottom, top] of pdf_j(x) prod_{i != j} cdf_i(x), by Gauss-Legendre. The
/// panel must be so short that pdfs and cdfs are smooth on it. `working`: one for each arm. Returns prod_i cdf_i at
/// the lowest node. REQUIRES (bottom - center[j]) inverse[j] >= -7 and (top - center[j]) inverse[j] <= 14.
double add_panel(const NormalArms& arms, double bottom, double top, std::span<ArmAtNodes> working,
                 std::span<double> mass);

/// The cdf of the standard normal distribution as the panels see it: relative error below 1e-11 for |z| <= 14.
double panel_cdf(double z);

}  // namespace neuralts::math
