#!/usr/bin/env Rscript
# The sets of sets.txt as CSV files, the label last in a column `class`, rows with gaps left out:
#
#     bench/sets/make.R FOLDER
#
# Debian: r-cran-{aer,ade4,caret,epi,factominer,flexmix,gclus,geepack,kmsurv,mass,matchit,mclust,mice,mlmrev,ordinal,party,plm,pscl,
# psychtools,quantreg,rpart,vcdextra,vgam,zelig}. A set whose package is missing is named and passed over.
arguments <- commandArgs(FALSE)
here <- dirname(sub("^--file=", "", grep("^--file=", arguments, value = TRUE)))
folder <- commandArgs(TRUE)
if (length(folder) != 1) stop("usage: make.R FOLDER")
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

read <- function(package, set) {
  found <- new.env()
  suppressWarnings(data(list = set, package = package, envir = found))
  as.data.frame(get(set, envir = found))
}

# Words of a category without what a CSV file would have to quote; TRUE and FALSE as numbers.
plain <- function(column) {
  if (is.logical(column)) as.integer(column)
  else if (is.numeric(column)) column
  else gsub("[^A-Za-z0-9.]+", "_", as.character(column))
}

write_set <- function(package, set, label, name, left_out) {
  rows <- read(package, set)
  columns <- setdiff(names(rows), c(label, left_out))
  usable <- sapply(rows[columns], function(column) is.numeric(column) || is.factor(column) || is.character(column) || is.logical(column))
  columns <- columns[usable]
  rows <- rows[complete.cases(rows[c(columns, label)]), ]
  out <- as.data.frame(lapply(rows[columns], plain))
  names(out) <- gsub("[^A-Za-z0-9_]", "_", columns)
  out$class <- paste0("c", as.integer(factor(plain(rows[[label]]))))
  write.csv(out, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  cat(sprintf("%-22s %6d rows %4d columns %3d classes\n", name, nrow(out), length(columns), length(unique(out$class))))
}

for (line in readLines(file.path(here, "sets.txt"))) {
  if (startsWith(line, "#") || !nzchar(line)) next
  word <- strsplit(trimws(line), " +")[[1]]
  tryCatch(write_set(word[1], word[2], word[3], word[4], word[-(1:4)]),
           error = function(e) message("passed over: ", word[4], ": ", conditionMessage(e)))
}
