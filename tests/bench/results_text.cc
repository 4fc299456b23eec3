// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "results.h"

namespace normd::bench {
namespace {

constexpr int kWidth = 14;

std::string Right(const std::string& text, int width = kWidth) { return absl::StrFormat("%*s", width, text); }

std::string Number(double value) {
  return absl::StrFormat("%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

std::string Duration(double nanoseconds) {
  if (nanoseconds < 1e4) return absl::StrFormat("%.0f ns", nanoseconds);
  if (nanoseconds < 1e7) return absl::StrFormat("%.1f us", nanoseconds / 1e3);
  return absl::StrFormat("%.2f ms", nanoseconds / 1e6);
}

// One column of a table: its two lines of heading, and the value of each cell.
struct Column {
  std::string heading[2];
  std::function<std::optional<double>(const CellResult&)> value;
  bool duration = false;
};

Column ColumnOf(const Contestants& contestants, size_t index) {
  const Contestant& contestant = contestants[index];
  const size_t space = contestant.name.find_last_of(' ') == std::string::npos
                           ? contestant.name.size()
                           : contestant.name.find_first_of("0123456789", contestant.name.find(' '));
  Column column;
  if (contestant.name.starts_with("ours ")) {
    column.heading[0] = "ours";
    column.heading[1] = contestant.name.substr(5);
  } else {
    column.heading[0] = contestant.name.substr(0, space);
    if (space < contestant.name.size()) column.heading[1] = contestant.name.substr(space);
  }
  column.value = [index](const CellResult& result) -> std::optional<double> {
    if (!result.fields[index] || !(result.fields[index]->ratio > 0)) return std::nullopt;
    return result.fields[index]->ratio;
  };
  return column;
}

// One of the two tables of a type, kind and number of threads.
struct View {
  const char* name;
  std::vector<Part> parts;
  Part best_of;
  const char* best;
};
const View kViews[] = {
    {"kernels", {Part::kOurs, Part::kFloor, Part::kEstimate, Part::kKernel}, Part::kKernel, "best kernel"},
    {"operators", {Part::kOperator}, Part::kOperator, "best operator"},
};

std::vector<Column> Columns(const Contestants& contestants, const View& view, bool with_laboratory) {
  std::vector<Column> columns;
  columns.push_back({{"ours", ""},
                     [](const CellResult& result) -> std::optional<double> {
                       if (!result.fields[0]) return std::nullopt;
                       return result.fields[0]->nanoseconds;
                     },
                     true});
  for (const Part part : view.parts) {
    for (size_t i = 1; i < contestants.size(); ++i) {
      if (contestants[i].part == part) columns.push_back(ColumnOf(contestants, i));
    }
  }
  columns.push_back({{view.best, "/ ours"}, [&contestants, &view](const CellResult& result) {
                       return result.BestRatio(contestants, view.best_of);
                     }});
  if (with_laboratory && view.best_of == Part::kKernel) {
    columns.push_back({{"laboratory", ""}, [](const CellResult& result) { return result.lab_ratio; }});
  }
  return columns;
}

std::string Line(const std::string& first, const std::vector<Column>& columns,
                 const std::function<std::string(const Column&)>& text) {
  std::string line = absl::StrFormat("%-16s", first);
  for (const Column& column : columns) line += Right(text(column));
  return line + "\n";
}

std::string SummaryLines(const std::vector<Column>& columns, const std::vector<const CellResult*>& cells) {
  const auto summary_of = [&](const Column& column) -> std::optional<Summary> {
    if (column.duration) return std::nullopt;
    std::vector<std::pair<Cell, std::optional<double>>> values;
    for (const CellResult* cell : cells) values.emplace_back(cell->cell, column.value(*cell));
    return Summarize(values);
  };
  std::string lines = Line("geometric mean", columns, [&](const Column& column) {
    const std::optional<Summary> summary = summary_of(column);
    return summary ? Number(summary->geometric_mean) : "";
  });
  lines += Line("least", columns, [&](const Column& column) {
    const std::optional<Summary> summary = summary_of(column);
    return summary ? Number(summary->worst) : "";
  });
  return lines + Line("  at", columns, [&](const Column& column) {
           const std::optional<Summary> summary = summary_of(column);
           return summary ? absl::StrCat(summary->worst_cell.rows, "x", summary->worst_cell.hidden) : "";
         });
}

std::string Table(const Results& results, const std::vector<const CellResult*>& cells, const View& view) {
  const bool with_laboratory = std::any_of(
      cells.begin(), cells.end(), [](const CellResult* cell) { return cell->lab_ratio.has_value(); });
  const std::vector<Column> columns = Columns(results.contestants, view, with_laboratory);
  const Cell& first = cells.front()->cell;
  std::string table = absl::StrFormat(
      "\n%s, %s, %d thread%s, %s: time of ours, and every other time over it\n\n", NameOf(first.type),
      NameOf(first.kind), first.threads, first.threads == 1 ? "" : "s", view.name);
  for (const int line : {0, 1}) {
    table += Line(line == 0 ? "rows x hidden" : "", columns,
                  [&](const Column& column) { return column.heading[line]; });
  }
  for (const CellResult* cell : cells) {
    table +=
        Line(absl::StrCat(cell->cell.rows, " x ", cell->cell.hidden), columns, [&](const Column& column) {
          const std::optional<double> value = column.value(*cell);
          return !value ? "-" : column.duration ? Duration(*value) : Number(*value);
        });
  }
  return table + SummaryLines(columns, cells);
}

// What is called, and the reasons of the empty fields, each once.
std::string Notes(const Results& results) {
  std::string notes = "\n";
  for (size_t i = 0; i < results.contestants.size(); ++i) {
    const Contestant& contestant = results.contestants[i];
    absl::StrAppend(&notes, contestant.name, contestant.part == Part::kOperator ? " op" : "",
                    contestant.why_not.empty() ? ": " + contestant.what : " is empty: " + contestant.why_not,
                    "\n");
    if (!contestant.why_not.empty()) continue;
    std::map<std::string, std::set<std::string>> reasons;  // and what of
    for (const CellResult& cell : results.cells) {
      if (cell.why_not[i].empty()) continue;
      reasons[cell.why_not[i]].insert(absl::StrCat(NameOf(cell.cell.type), " ", NameOf(cell.cell.kind)));
    }
    for (const auto& [reason, cells] : reasons) {
      absl::StrAppend(&notes, "  empty at ", absl::StrJoin(cells, ", "), ": ", reason, "\n");
    }
  }
  return notes;
}

}  // namespace

std::string Text(const Results& results) {
  const Machine& machine = results.machine;
  std::string text =
      absl::StrFormat("%s; %s; on %s\n%d runs of %d rounds; measured clock of each run: %s GHz\n",
                      machine.cpu, machine.caches, machine.placement, results.runs, results.rounds,
                      absl::StrJoin(machine.gigahertz, ", ", [](std::string* out, double value) {
                        absl::StrAppend(out, absl::StrFormat("%.2f", value));
                      }));
  std::map<std::tuple<int, Type, Kind>, std::vector<const CellResult*>> tables;
  for (const CellResult& cell : results.cells) {
    tables[{cell.cell.threads, cell.cell.type, cell.cell.kind}].push_back(&cell);
  }
  for (const auto& [key, cells] : tables) {
    for (const View& view : kViews) text += Table(results, cells, view);
  }
  return text + Notes(results);
}

}  // namespace normd::bench
