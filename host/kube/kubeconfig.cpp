// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include "decode/base64.h"
#include "decode/did_you_mean.h"
#include "decode/fields.h"
#include "decode/write.h"
#include "kube/exec_credential.h"
#include "kube/tls.h"
#include "model/build.h"

#include <openssl/evp.h>

#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <optional>
#include <sstream>

namespace berth::kube {
namespace {

namespace fs = std::filesystem;
using decode::Fields;

/// Reads what a kubeconfig says as a path (`name`) or as Base64 in place (`name`-data), the latter winning.
class Pem {
    fs::path folder_;

public:
    explicit Pem(const std::string &kubeconfig) : folder_(fs::absolute(kubeconfig).parent_path()) {}

    std::string resolve(const std::string &path) const { return (folder_ / path).string(); }

    /// `read_from`: the file that it was read from, if it was one.
    std::string read(Fields &fields, const std::string &name, std::string *read_from = nullptr) const {
        auto data = fields.string(name + "-data");
        auto path = fields.string(name);
        std::string text;
        if (data && !data->empty()) {
            if (!decode::decode_base64(*data, text)) fields.error(name + "-data", "expected Base64");
            else if (text.find("-----BEGIN ") == std::string::npos)
                fields.error(name + "-data", "expected Base64 of PEM");
        } else if (path && !path->empty()) {
            auto content = read_text_file(resolve(*path));
            if (!content) fields.error(name, content.error().text);
            else if (content->find("-----BEGIN ") == std::string::npos)
                fields.error(name, resolve(*path) + " holds no PEM");
            else text = std::move(*content);
            if (read_from) *read_from = resolve(*path);
        }
        return text;
    }
};

/// One of the files that are merged.
struct File {
    decode::Document document;
    Fields root;
    Pem pem;

    File(decode::Document read, const std::string &path, decode::FieldErrors &errors)
        : document(std::move(read)), root(document, errors), pem(path) {}
    File(const File &) = delete;
    File &operator=(const File &) = delete;
};

/// An entry of a list, and where its paths begin.
struct Entry {
    Fields object;
    const File *file;
};

/// One entry of `clusters`, `contexts` or `users`: the object beside the `name` that is wanted, of the first file that
/// has it. `why` says what refers to it.
std::optional<Entry> named(std::list<File> &files, std::string_view list, const std::string &name,
                           std::string_view member, const std::string &why = "which is referred to") {
    std::vector<std::string> known;
    for (auto &file : files)
        for (auto &entry : file.root.objects(list)) {
            const auto own = entry.string("name").value_or("");
            if (std::ranges::find(known, own) == known.end()) known.push_back(own);
            if (own != name) continue;
            auto object = entry.object(member);
            if (!object) {
                entry.error(member, "expected an object, it is absent");
                return std::nullopt;
            }
            return Entry{*std::move(object), &file};
        }
    files.front().root.error(list, "expected an entry named \"" + name + "\", " + why + "; there is none" +
                                       (known.empty() ? "" : decode::did_you_mean(name, known)));
    return std::nullopt;
}

/// The one of `name`-data and `name` that counts: the first that is not empty; "" if there is none.
std::string given_as(Fields &fields, const std::string &name) {
    for (const auto &field : {name + "-data", name})
        if (auto said = fields.string(field); said && !said->empty()) return field;
    return {};
}

void read_cluster(Fields &cluster, const Pem &pem, Credentials &out) {
    out.server = cluster.string("server").value_or("");
    while (out.server.ends_with('/')) out.server.pop_back();
    bool tls = out.server.starts_with("https://");
    if (!tls && !out.server.starts_with("http://"))
        cluster.error("server", "expected a URL such as https://10.0.0.1:6443, got \"" + out.server + "\"");
    if (cluster.has("proxy-url")) cluster.error("proxy-url", "proxies are not supported; remove it");
    out.server_name = cluster.string("tls-server-name").value_or("");
    out.insecure = cluster.boolean("insecure-skip-tls-verify").value_or(false);
    const auto field = given_as(cluster, "certificate-authority");
    if (out.insecure && !field.empty())
        cluster.error("insecure-skip-tls-verify", "true contradicts certificate-authority; remove one of them");
    if (tls && !out.insecure && field.empty())
        cluster.error("",
                      "expected certificate-authority or certificate-authority-data, and not empty: the machine's own "
                      "authorities are never trusted");
    if (field.empty()) return;
    std::string file;
    out.authority = pem.read(cluster, "certificate-authority", &file);
    auto why = out.authority.empty() ? std::string() : authority_fault(out.authority);
    if (!why.empty()) cluster.error(field, file + (file.empty() ? "" : " ") + why);
}

std::string encode_base64(const std::string &bytes) {
    std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const auto n =
        EVP_EncodeBlock(reinterpret_cast<unsigned char *>(out.data()),
                        reinterpret_cast<const unsigned char *>(bytes.data()), static_cast<int>(bytes.size()));
    out.resize(static_cast<std::size_t>(n));
    return out;
}

/// The value of KUBERNETES_EXEC_INFO for the program.
std::string exec_info(const std::string &version, bool interactive, Fields *cluster, const Credentials &known) {
    model::Arena arena;
    model::ObjectBuilder spec(arena), info(arena);
    if (cluster) {
        model::ObjectBuilder about(arena);
        about.add("server", std::string_view{known.server});
        if (!known.server_name.empty()) about.add("tls-server-name", std::string_view{known.server_name});
        if (known.insecure) about.add("insecure-skip-tls-verify", true);
        if (!known.authority.empty())
            about.add("certificate-authority-data", std::string_view{encode_base64(known.authority)});
        for (auto &extension : cluster->objects("extensions"))
            if (extension.string("name") == "client.authentication.k8s.io/exec")
                about.add("config", extension.any("extension"));
        spec.add("cluster", about);
    }
    spec.add("interactive", interactive);
    info.add("kind", "ExecCredential").add("apiVersion", std::string_view{version}).add("spec", spec);
    const auto value = info.value();
    return decode::to_json(model::Value{&value});
}

void read_exec(Fields &exec, Fields &cluster, const Pem &pem, Credentials &out) {
    const std::string group = "client.authentication.k8s.io/", v1 = group + "v1", v1beta1 = group + "v1beta1";
    ExecSettings settings;
    settings.where = out.where;
    settings.api_version = exec.string("apiVersion").value_or("");
    if (settings.api_version != v1 && settings.api_version != v1beta1)
        exec.error("apiVersion", "expected " + v1 + " or " + v1beta1 + ", got \"" + settings.api_version + "\"");
    auto &command = settings.command;
    command.program = exec.string("command").value_or("");
    if (command.program.empty()) exec.error("command", "expected a program that prints an ExecCredential");
    if (command.program.find('/') != std::string::npos) command.program = pem.resolve(command.program);
    command.arguments = exec.strings("args");
    for (auto &variable : exec.objects("env")) {
        const auto name = variable.string("name").value_or("");
        if (name.empty() || name.find('=') != std::string::npos)
            variable.error("name", "expected the name of a variable of the environment");
        command.environment[name] = variable.string("value").value_or("");
    }
    settings.install_hint = exec.string("installHint").value_or("");
    const auto mode = exec.string("interactiveMode").value_or(settings.api_version == v1beta1 ? "IfAvailable" : "");
    if (mode != "Never" && mode != "IfAvailable" && mode != "Always")
        exec.error("interactiveMode", "expected Never, IfAvailable or Always, got \"" + mode + "\"");
    settings.needs_terminal = mode == "Always";
    command.keeps_input = mode != "Never" && ::isatty(STDIN_FILENO) != 0;
    command.environment["KUBERNETES_EXEC_INFO"] =
        exec_info(settings.api_version, command.keeps_input,
                  exec.boolean("provideClusterInfo").value_or(false) ? &cluster : nullptr, out);
    out.exec = std::make_shared<ExecCredential>(std::move(settings));
}

void read_user(Fields &user, Fields &cluster, const Pem &pem, Credentials &out) {
    if (user.has("auth-provider"))
        user.error("auth-provider",
                   "was taken out of Kubernetes in 1.26; name its successor's program as exec instead");
    if (user.has("username") || user.has("password"))
        user.error(user.has("username") ? "username" : "password",
                   "no supported API server knows passwords; give a token, tokenFile or client certificate instead");
    for (const char *impersonation : {"as", "as-uid", "as-groups", "as-user-extra"})
        if (user.has(impersonation)) user.error(impersonation, "impersonation is not supported; remove it");
    out.certificate = pem.read(user, "client-certificate", &out.certificate_file);
    out.key = pem.read(user, "client-key", &out.key_file);
    bool certificate = user.has("client-certificate") || user.has("client-certificate-data");
    bool key = user.has("client-key") || user.has("client-key-data");
    if (certificate && !key) user.error("", "client-certificate is given, so client-key is expected too");
    if (key && !certificate) user.error("", "client-key is given, so client-certificate is expected too");
    out.token = user.string("token").value_or("");
    auto token_file = user.string("tokenFile").value_or("");
    // As for client-go, a token or certificate wins.
    if (auto exec = user.object("exec"); exec && out.token.empty() && token_file.empty() && !certificate)
        read_exec(*exec, cluster, pem, out);
    if (token_file.empty()) return;
    out.token_file = pem.resolve(token_file);
    if (auto content = read_text_file(out.token_file); !content) user.error("tokenFile", content.error().text);
}

/// One that may not be read, or even reached, is there: its reader says so.
bool is_absent(const fs::path &path) {
    std::error_code ignored;
    return fs::status(path, ignored).type() == fs::file_type::not_found;
}

/// Nothing but blanks and comments.
bool is_blank(const std::string &text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (const auto at = line.find_first_not_of(" \t\r"); at != line.npos && line[at] != '#') return false;
    return true;
}

}  // namespace

model::Result<Credentials> read_kubeconfig(const std::string &path, const std::string &context) {
    return read_kubeconfigs({&path, 1}, context);
}

model::Result<Credentials> read_kubeconfigs(std::span<const std::string> paths, const std::string &context) {
    decode::FieldErrors errors;
    std::list<File> files;
    Credentials out;
    for (const auto &path : paths) {
        auto bytes = read_text_file(path);
        if (!bytes) return bytes.error();
        if (paths.size() > 1 && is_blank(*bytes)) continue;  // as for kubectl
        auto document = decode::read_document(*bytes, path);
        if (!document) return document.error();
        auto &file = files.emplace_back(*std::move(document), path, errors);
        if (auto kind = file.root.string("kind"); kind && *kind != "Config")
            file.root.error("kind", "expected a kubeconfig file, kind Config, got \"" + *kind + "\"");
        if (out.context.empty()) out.context = file.root.string("current-context").value_or("");
        out.where += (out.where.empty() ? "" : ":") + path;
    }
    if (files.empty())
        return model::Error{paths.empty() ? "expected a kubeconfig file, there is none"
                                          : paths.front() + ": expected a kubeconfig, the file holds nothing" +
                                                (paths.size() > 1 ? ", and the others neither" : "")};
    if (!context.empty()) out.context = context;
    if (out.context.empty() && errors.empty())
        files.front().root.error("current-context",
                                 "expected the name of a context; kubectl config use-context sets it, and --context "
                                 "names another");
    if (errors.empty()) {
        const auto *why = context.empty() ? "which is referred to" : "which --context names";
        if (auto found = named(files, "contexts", out.context, "context", why)) {
            auto &chosen = found->object;
            out.name_space = chosen.string("namespace").value_or("");
            auto cluster = named(files, "clusters", chosen.string("cluster").value_or(""), "cluster");
            if (cluster) read_cluster(cluster->object, cluster->file->pem, out);
            // A context without a user is anonymous.
            if (auto name = chosen.string("user").value_or(""); cluster && !name.empty())
                if (auto user = named(files, "users", name, "user"))
                    read_user(user->object, cluster->object, user->file->pem, out);
        }
    }
    if (!errors.empty()) return model::Error{decode::messages(std::move(errors))};
    return out;
}

model::Result<std::vector<std::string>> usual_kubeconfigs(bool home) {
    std::vector<std::string> out;
    if (const char *paths = std::getenv("KUBECONFIG"); paths && *paths) {
        std::istringstream list(paths);
        for (std::string path; std::getline(list, path, ':');)
            if (!path.empty() && !is_absent(path) && std::ranges::find(out, path) == out.end()) out.push_back(path);
        if (out.empty())
            return model::Error{"$KUBECONFIG names " + std::string(paths) +
                                ", of which no file is there; expected kubeconfig files with colons between"};
        return out;
    }
    const char *folder = home ? std::getenv("HOME") : nullptr;
    if (!folder) return out;
    auto path = fs::path(folder) / ".kube" / "config";
    if (!is_absent(path)) out.push_back(path.string());
    return out;
}

bool is_in_pod() {
    const char *host = std::getenv("KUBERNETES_SERVICE_HOST"), *port = std::getenv("KUBERNETES_SERVICE_PORT");
    return host && *host && port && *port;
}

model::Result<Credentials> in_cluster(const std::string &folder) {
    const char *host = std::getenv("KUBERNETES_SERVICE_HOST"), *port = std::getenv("KUBERNETES_SERVICE_PORT");
    if (!is_in_pod())
        return model::Error{
            "no kubeconfig was given and this is no pod of a cluster: KUBERNETES_SERVICE_HOST and "
            "KUBERNETES_SERVICE_PORT are not set; give --kubeconfig FILE or clientConnection.kubeconfig"};
    Credentials out;
    std::string name = host;
    if (name.find(':') != std::string::npos) name = "[" + name + "]";
    out.server = "https://" + name + ":" + port;
    out.where = "the pod's service account";
    auto authority = read_text_file(folder + "/ca.crt");
    if (!authority) return authority.error();
    if (auto why = authority_fault(*authority); !why.empty()) return model::Error{folder + "/ca.crt: " + why};
    out.authority = std::move(*authority);
    out.token_file = folder + "/token";
    if (auto token = read_text_file(out.token_file); !token) return token.error();
    return out;
}

}  // namespace berth::kube
