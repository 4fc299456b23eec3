// SPDX-License-Identifier: Apache-2.0
#include "search.h"

#include <algorithm>

#include "harness.h"
#include "reference.h"

namespace normd {
namespace {

// Hill climbing gives up after this many rows without a better one: wide rows are dear, so they get fewer.
int Patience(int64_t hidden) { return static_cast<int>(std::clamp<int64_t>(1'000'000 / hidden, 12, 1000)); }

double MeasureRow(const Target& target, const Trial& row) {
  const ExactRow exact(row);
  if (!exact.finite()) return 0;  // a float16 overflowed: nothing is promised
  return StrictRowUlp(exact, DecodeAll(row.data_type, Answer(target, row).y));
}

class Climber {
 public:
  explicit Climber(const SearchOptions& options) : options_(options), random_(options.seed) {
    report_.worst.resize(static_cast<size_t>(FamilyCount()));
  }

  SearchReport Run() {
    for (const Shape& shape : KnownBadShapes()) {
      if (options_.done(report_.elements)) return report_;
      if (shape.hidden <= options_.max_hidden) Climb(shape);
    }
    for (int round = 0; !options_.done(report_.elements); ++round) Climb(Start(round));
    return report_;
  }

 private:
  // A family's turn starts anew, near its best row so far, or at the best row of all families made into one
  // of its own: hills have several tops close together, and what is bad for one family is often bad for
  // another.
  Shape Start(int round) {
    const int family = round % FamilyCount();
    const int way = round / FamilyCount() % 3;
    if (way == 0) return RandomShape(family, options_.max_hidden, random_);
    Shape shape = way == 1 ? report_.worst[static_cast<size_t>(family)].shape : report_.Worst().shape;
    shape.family = family;
    return Mutated(shape, options_.max_hidden, random_);
  }

  double Try(const Shape& shape) {
    ++report_.rows;
    report_.elements += shape.hidden;
    return Measure(options_.subject, shape);
  }

  void Climb(const Shape& start) {
    Found best{start, Try(start)};
    for (int failures = 0; failures < Patience(best.shape.hidden) && !options_.done(report_.elements);
         ++failures) {
      const Shape next = Mutated(best.shape, options_.max_hidden, random_);
      const double row_ulp = Try(next);
      if (row_ulp > best.row_ulp) failures = 0;
      if (row_ulp >= best.row_ulp) best = {next, row_ulp};  // sideways too: the hills are terraced
    }
    Found& worst = report_.worst[static_cast<size_t>(best.shape.family)];
    if (best.row_ulp > worst.row_ulp) worst = best;
  }

  const SearchOptions& options_;
  Random random_;
  SearchReport report_;
};

}  // namespace

Found SearchReport::Worst() const {
  return *std::max_element(worst.begin(), worst.end(),
                           [](auto& x, auto& y) { return x.row_ulp < y.row_ulp; });
}

double Measure(const Subject& subject, const Shape& shape) {
  Trial row{.parameters = {.epsilon = shape.epsilon, .kind = subject.kind},
            .data_type = subject.data_type,
            .hidden = shape.hidden,
            .x = RoundAll(subject.data_type, MakeShape(shape))};
  const double rounded = MeasureRow(*subject.target, row);
  if (subject.data_type == DataType::kFloat32) return rounded;
  row.data_type = DataType::kFloat32;
  return std::max(rounded, MeasureRow(*subject.target, row));
}

SearchReport Search(const SearchOptions& options) { return Climber(options).Run(); }

}  // namespace normd
