// Schemas and settings as JSON: what both are read and written with.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "neuralts/error.hpp"
#include "neuralts/feature.hpp"

namespace neuralts {

nlohmann::ordered_json feature_to_json(const Feature& feature);
nlohmann::ordered_json features_to_json(const std::vector<Feature>& features);

/// Throws Error(bad_spec) unless it is an object.
nlohmann::json parse_object(std::string_view json, const std::string& where);
void refuse_unknown_keys(const nlohmann::json& object, const std::vector<std::string>& known,
                         const std::string& where);
/// The fields under `key`, in alphabetical order: a kind's name, or an object with it. Throws Error(bad_spec)
/// naming the field; and for more than `most_slots` numbers of all fields: memory is taken for each.
std::vector<Feature> features_from_json(const nlohmann::json& object, const char* key, std::size_t most_slots,
                                        const std::string& where);
bool read_truth(const nlohmann::json& object, const char* key, bool otherwise, const std::string& where);
/// A whole number up to a million.
std::size_t read_count(const nlohmann::json& object, const char* key, std::size_t otherwise,
                       const std::string& where);

FeatureKind kind_of(const std::string& text, const std::string& where);

}  // namespace neuralts
