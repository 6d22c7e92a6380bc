// What an estimator sees of one logged decision.
//
// Letters of this room: x context, a the action that was played, r its reward, h(b|x) the logged probability of
// action b, pi(b|x) its probability under the policy that is judged, w = pi(a|x) / h(a|x), q(x,b) a model's
// prediction, c how many decisions the event stands for, on average 1 (it was kept with a probability).
#pragma once

namespace neuralts::evaluation {

struct Judged {
  double weight = 0;     ///< c w
  double reward = 0;     ///< r
  double predicted = 0;  ///< q(x,a); 0 without a model
  double expected = 0;   ///< c sum_b pi(b) q(x,b); 0 without a model
  /// For confidence sequences, with q and r scaled to [0,1] and a constant k: sum_b min(pi(b) q(b), k h(b)) ...
  double floor = 0;
  double loss_floor = 0;  ///< ... and sum_b min(pi(b) (1 - q(b)), k h(b)); both 0 without a model
  double copies = 1;      ///< c
};

}  // namespace neuralts::evaluation
