#include "neuralts/serve.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>

#include "command.hpp"

namespace neuralts::cli {

namespace {

struct Flags {
  ServeOptions options;
  std::string config, check, new_token, token_name = "token", acknowledge;
  bool quiet = false, replay = false;
};

/// SIGTERM and SIGINT end the service, SIGHUP reloads; all are waited for here, so that no handler has to be
/// careful.
void serve_until_signalled(DecisionServer& server) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  for (int number = 0; ::sigwait(&set, &number) == 0;) {
    if (number != SIGHUP) return;
    server.reload();
  }
}

void block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

/// Every connection is a descriptor, and the journal has some: the usual 1,024 would not do.
void allow_descriptors(std::size_t connections) {
  rlimit limit{};
  const rlim_t wanted = connections + 256;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(wanted, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void make_token(const Flags& flags) {
  if (flags.options.tokens.empty())
    throw Error(ErrorCode::bad_spec, "--new-token", "where to?", "add --tokens FILE");
  fmt::print("{}\n", add_serve_token(flags.options.tokens, flags.new_token, flags.token_name));
}

void print_replay(const Flags& flags, int& status) {
  for (const auto& report : replay_service(flags.options.folder, flags.options.journal)) {
    fmt::print("{}: {} rounds learned, {} ({})\n", report.loop, report.learned,
               report.same ? "the replay is the same" : "the replay DIFFERS", report.sha256.substr(0, 16));
    if (!report.same) status = 1;
  }
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "node";
}

void run(Flags& flags, int& status) {
  if (flags.options.node.empty()) flags.options.node = machine_name();
  if (!flags.acknowledge.empty())
    flags.options.acknowledge = flags.acknowledge == "written"  ? Acknowledge::written
                                : flags.acknowledge == "shared" ? Acknowledge::shared
                                                                : Acknowledge::durable;
  if (!flags.config.empty()) flags.options = read_serve_options(flags.config, flags.options);
  if (!flags.check.empty()) {
    read_serve_options(flags.check, flags.options);
    return fmt::print("{} is right\n", flags.check);
  }
  if (!flags.new_token.empty()) return make_token(flags);
  if (flags.replay) return print_replay(flags, status);
  if (!flags.quiet) flags.options.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  block_signals();
  allow_descriptors(flags.options.connections_max);
  DecisionServer server(flags.options);
  fmt::print("{}\nopen {}/ in a browser to watch it; Ctrl-C ends it\n", server.address(), server.address());
  std::fflush(stdout);
  serve_until_signalled(server);
  server.stop();
}

}  // namespace

void add_serve(CLI::App& app, int& status) {
  auto flags = std::make_shared<Flags>();
  ServeOptions& options = flags->options;
  auto* command = app.add_subcommand("serve", "the decision service: rank, reward, learn, over HTTP");
  command->add_option("--dir", options.folder, "folder of journal, models and checkpoints")->capture_default_str();
  command->add_option("--listen", options.listen, "ADDRESS:PORT; port 0 takes a free one")->capture_default_str();
  command->add_option("--threads", options.threads, "event loops; 0: half of the processors")
      ->capture_default_str();
  command
      ->add_option("--acknowledge", flags->acknowledge,
                   "durable: synced to this machine's disk before the answer; written: handed to the system; "
                   "shared: in the shared journal")
      ->check(CLI::IsMember({"durable", "written", "shared"}));
  command->add_option("--journal", options.journal, "postgres://...: the journal that several nodes share");
  command->add_option(
      "--node", options.node,
      "this node's name among them, the same after a restart; the machine's name unless given");
  command->add_option("--tokens", options.tokens, "file of tokens: a call needs one that has its role");
  command->add_option("--certificate", options.certificate, "PEM certificate chain: TLS");
  command->add_option("--key", options.key, "PEM private key of the certificate");
  command->add_flag("--open", options.open, "listen beyond this machine without tokens and TLS");
  command->add_option("--config", flags->config, "TOML file (doc/service.md); it wins over flags");
  command->add_option("--check", flags->check, "say whether a TOML file is right, and end");
  command->add_option("--new-token", flags->new_token,
                      "make a token for roles (decide+reward, admin, metrics), print it, and end");
  command->add_option("--token-name", flags->token_name, "what the token is for")->capture_default_str();
  command->add_flag("--replay", flags->replay,
                    "learn the whole journal again, say whether it gives what was learned, and end");
  command->add_flag("--quiet", flags->quiet, "no log lines");
  command->footer("Examples:\n  neuralts serve\n  neuralts serve --dir /var/lib/neuralts --listen 127.0.0.1:9000\n"
                  "  neuralts serve --tokens tokens --new-token decide+reward --token-name shop");
  command->callback([flags, &status] { run(*flags, status); });
}

}  // namespace neuralts::cli
