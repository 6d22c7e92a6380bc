#include "policy/forget_param.hpp"

namespace neuralts {

ParamInfo forget_info() {
  return {"forget", "never", "auto | never | window:N | discount:G",
          "what is let go of, in mean and width alike: all but the last N rounds; every round by its age, of which a round of age a counts G^a; "
          "auto: what was learned before predictions became worse than they should be"};
}

Forget read_forget(const Settings& settings) {
  Forget forget;
  if (!Forget::parse(settings.text("forget"), forget)) settings.refuse("forget");
  return forget;
}

}  // namespace neuralts
