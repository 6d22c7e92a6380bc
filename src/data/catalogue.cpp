#include "data/catalogue.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"

namespace neuralts {

namespace {

std::string from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

// The lists of adult.names, in its order: codes are positions in them.
std::map<std::string, std::vector<std::string>> adult_lists() {
  const std::pair<const char*, const char*> lists[] = {
      {"workclass", "Private,Self-emp-not-inc,Self-emp-inc,Federal-gov,Local-gov,State-gov,Without-pay,Never-worked"},
      {"education",
       "Bachelors,Some-college,11th,HS-grad,Prof-school,Assoc-acdm,Assoc-voc,9th,7th-8th,12th,Masters,1st-4th,10th,Doctorate,5th-6th,"
       "Preschool"},
      {"marital-status", "Married-civ-spouse,Divorced,Never-married,Separated,Widowed,Married-spouse-absent,Married-AF-spouse"},
      {"occupation",
       "Tech-support,Craft-repair,Other-service,Sales,Exec-managerial,Prof-specialty,Handlers-cleaners,Machine-op-inspct,Adm-clerical,"
       "Farming-fishing,Transport-moving,Priv-house-serv,Protective-serv,Armed-Forces"},
      {"relationship", "Wife,Own-child,Husband,Not-in-family,Other-relative,Unmarried"},
      {"race", "White,Asian-Pac-Islander,Amer-Indian-Eskimo,Other,Black"},
      {"sex", "Female,Male"},
      {"native-country",
       "United-States,Cambodia,England,Puerto-Rico,Canada,Germany,Outlying-US(Guam-USVI-etc),India,Japan,Greece,South,China,Cuba,Iran,"
       "Honduras,Philippines,Italy,Poland,Jamaica,Vietnam,Mexico,Portugal,Ireland,France,Dominican-Republic,Laos,Ecuador,Taiwan,Haiti,"
       "Columbia,Hungary,Guatemala,Nicaragua,Scotland,Thailand,Yugoslavia,El-Salvador,Trinadad&Tobago,Peru,Hong,Holand-Netherlands"},
  };
  std::map<std::string, std::vector<std::string>> declared;
  for (const auto& [column, values] : lists) declared[column] = split(values, ',');
  return declared;
}

// Lists with values that never occur; the other columns' lists are what occurs, in alphabetical order.
std::map<std::string, std::vector<std::string>> mushroom_lists() {
  return {{"gill-attachment", {"a", "d", "f", "n"}},
          {"gill-spacing", {"c", "d", "w"}},
          {"stalk-root", {"b", "c", "e", "r", "u", "z"}},
          {"veil-type", {"p", "u"}},
          {"ring-type", {"c", "e", "f", "l", "n", "p", "s", "z"}}};
}

// The ranges of the whole set, not of the rows at hand.
std::map<std::string, Range> covertype_ranges() {
  return {{"Elevation", {1859, 3858}},
          {"Aspect", {0, 360}},
          {"Slope", {0, 66}},
          {"Horizontal_Distance_To_Hydrology", {0, 1397}},
          {"Vertical_Distance_To_Hydrology", {-173, 601}},
          {"Horizontal_Distance_To_Roadways", {0, 7117}},
          {"Hillshade_9am", {0, 254}},
          {"Hillshade_Noon", {0, 254}},
          {"Hillshade_3pm", {0, 254}},
          {"Horizontal_Distance_To_Fire_Points", {0, 7173}}};
}

}  // namespace

const std::vector<PublishedSet>& published_sets() {
  static const std::vector<PublishedSet> sets = {
      {"adult", "census records: income above 50,000 dollars?", "UCI Adult", 1590, 48842, 14, 2, {.declared = adult_lists()}},
      {"covertype", "forest cover from maps, 7 kinds", "UCI Covertype", 150, 581012, 54, 7, {}, covertype_ranges()},
      {"magic", "gamma rays against hadrons", "UCI MAGIC Gamma Telescope", 1120, 19020, 10, 2, {.drop = {"ID"}}},
      {"mnist", "handwritten digits, 28 x 28 pixels", "MNIST (LeCun, Cortes, Burges)", 554, 70000, 784, 10},
      {"mushroom", "edible or poisonous?", "UCI Mushroom", 24, 8124, 22, 2, {.declared = mushroom_lists()}},
      {"shuttle", "states of the space shuttle's radiators, 7 kinds", "UCI Statlog (Shuttle)", 40685, 58000, 9, 7},
  };
  return sets;
}

std::vector<std::string> published_names() {
  std::vector<std::string> names;
  for (const auto& set : published_sets()) names.push_back(set.name);
  return names;
}

const PublishedSet* find_published(const std::string& name) {
  const auto& sets = published_sets();
  const auto found = std::find_if(sets.begin(), sets.end(),
                                  [&](const PublishedSet& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

std::string user_data_folder() {
  if (const auto xdg = from_environment("XDG_DATA_HOME"); !xdg.empty()) return xdg + "/neuralts";
  if (const auto home = from_environment("HOME"); !home.empty()) return home + "/.local/share/neuralts";
  return "";
}

std::vector<std::string> data_folders(const std::string& data_dir) {
  std::vector<std::string> folders;
  for (const auto& folder : {data_dir, from_environment("NEURALTS_DATA"), user_data_folder()})
    if (!folder.empty()) folders.push_back(folder);
  return folders;
}

std::optional<std::string> find_data(const PublishedSet& set, const std::string& data_dir) {
  for (const auto& folder : data_folders(data_dir))
    for (const char* ending : {".csv.gz", ".csv", ".arff.gz", ".arff", "/train-images-idx3-ubyte.gz",
                               "/train-images-idx3-ubyte"}) {
      const auto path = std::filesystem::path(folder) / (set.name + ending);
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) return path.string();
    }
  return std::nullopt;
}

}  // namespace neuralts
