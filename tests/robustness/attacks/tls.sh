# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: an impostor stands where the API server should be and writes down what it is told.

impostor_port=26444

# certificate NAME: one that signs itself, for 127.0.0.1.
certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$1.key" -out "$work/$1.crt" -days 2 \
    -subj "/CN=$1" -addext 'subjectAltName=IP:127.0.0.1' 2>/dev/null
}

impostor_up() {
  mkfifo "$work/silence" # which never ends: openssl stops when its input does
  openssl s_server -accept "127.0.0.1:$impostor_port" -cert "$work/impostor.crt" -key "$work/impostor.key" -quiet \
    <>"$work/silence" >"$work/heard" 2>/dev/null &
  impostor=$!
  for _ in $(seq 50); do (: <"/dev/tcp/127.0.0.1/$impostor_port") 2>/dev/null && return; sleep 0.1; done
  return 1
}

# kubeconfig_with AUTHORITY-FIELD: the rest points at the impostor and has a token.
kubeconfig_with() {
  printf '%s\n' 'kind: Config' 'current-context: c' 'contexts: [{name: c, context: {cluster: c, user: u}}]' \
    "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:$impostor_port', $1}}]" \
    'users: [{name: u, user: {token: this-is-the-token}}]' >"$work/kubeconfig"
}

tls_tries=0
# nothing_told WHAT SECONDS MESSAGE COMMAND...: the command ends within the seconds or is ended, says MESSAGE, and the impostor has not heard the token.
nothing_told() {
  local what=$1 seconds=$2 message=$3
  shift 3
  timeout "$seconds" "$@" >"$work/said" 2>&1
  grep -qE -- "$message" "$work/said" || { echo "$what: it does not say '$message' but:"; tail -n 5 "$work/said"; return 1; }
  ! grep -qa 'this-is-the-token' "$work/heard" || { echo "$what: the impostor was told the token"; return 1; }
  tls_tries=$((tls_tries + 1))
}

# promise(peer): If an authority is invalid in any way (empty, missing, garbage, foreign), Berth sends no token. That
# holds for each `--transport`, for the token of a kubeconfig, and for the token of a pod's service account.
no_token_leaves() {
  local transport field run account='/var/run/secrets/kubernetes.io/serviceaccount' status=0
  certificate impostor && certificate other && impostor_up || return 1
  : >"$work/empty.crt"
  echo 'not a certificate' >"$work/garbage.crt"
  printf '%s\n' '-----BEGIN CERTIFICATE-----' 'MIIB' '-----END CERTIFICATE-----' >"$work/broken.crt"
  for transport in beast cpprest; do
    run=(out/bin/berth run --kubeconfig "$work/kubeconfig" --secure-port 0 --leader-elect=false --transport "$transport")
    while IFS='|' read -r field message; do
      kubeconfig_with "$field"
      nothing_told "$transport, $field" 6 "$message" "${run[@]}" || status=1
    done <<END
certificate-authority: ''|certificate-authority-data, and not empty
certificate-authority-data: ''|certificate-authority-data, and not empty
insecure-skip-tls-verify: false|certificate-authority-data, and not empty
certificate-authority: $work/empty.crt|clusters\\[0\\].cluster.certificate-authority: .*empty.crt holds no PEM
certificate-authority: $work/none.crt|none.crt: cannot be read
certificate-authority: $work/garbage.crt|garbage.crt holds no PEM
certificate-authority: $work/impostor.key|impostor.key holds no certificate
certificate-authority: $work/broken.crt|broken.crt holds a certificate that cannot be read
certificate-authority-data: LS0tLS1CRUdJTiBY|certificate-authority-data: holds no certificate
certificate-authority: $work/other.crt|expected a certificate that the certificate-authority signed
END
    for field in empty.crt garbage.crt none.crt; do
      # A pod's service account, in a mount namespace of its own.
      nothing_told "$transport, a pod's $field" 6 'ca.crt: (is empty|holds no certificate|cannot be read)' \
        unshare --mount bash -c 'mount -t tmpfs none /run && mkdir -p "$0" && { [ ! -e "$1" ] || cp "$1" "$0/ca.crt"; } &&
          echo this-is-the-token >"$0/token" && export KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="$2" &&
          exec out/bin/berth run --secure-port 0 --leader-elect=false --transport "$3"' \
        "/run/${account#/var/run/}" "$work/$field" $impostor_port "$transport" || status=1
    done
  done
  kubeconfig_with "certificate-authority: $work/other.crt"
  printf '%s\n' 'apiVersion: kubescheduler.config.k8s.io/v1' 'kind: KubeSchedulerConfiguration' 'leaderElection: {leaderElect: false}' \
    "extenders: [{urlPrefix: 'https://127.0.0.1:$impostor_port', filterVerb: filter, tlsConfig: {caFile: $work/empty.crt}}]" >"$work/extender.yaml"
  nothing_told 'an extender' 6 'extenders\[0\]: tlsConfig.caFile: .*empty.crt is empty' \
    out/bin/berth run --kubeconfig "$work/kubeconfig" --secure-port 0 --config "$work/extender.yaml" || status=1
  # And the impostor does hear what it is told when somebody has said that it need not be verified, with a warning.
  kubeconfig_with 'insecure-skip-tls-verify: true'
  timeout 6 out/bin/berth run --kubeconfig "$work/kubeconfig" --secure-port 0 --leader-elect=false >"$work/said" 2>&1
  grep -q 'The API server is not verified' "$work/said" || { echo 'no warning:'; tail -n 5 "$work/said"; status=1; }
  grep -qa 'this-is-the-token' "$work/heard" || { echo 'this test could not have failed: the impostor hears nothing'; status=1; }
  kill "$impostor" 2>/dev/null
  echo "$tls_tries ways to say the wrong authority, in each a message and no token"
  return $status
}
