# SPDX-License-Identifier: Apache-2.0
# Sourced by run.sh: pods whose own lists are as long as the API server takes them, and numbers of nodes and pods that no int64 holds.

# decides FILE [OPTION...]: a simulation of it ends within a minute of CPU time, which a machine that does other things does not stretch.
decides() {
  local code=0
  (ulimit -t 60 && exec out/bin/berth simulate -o json "${@:2}" "$1") >"$work/decided" || code=$?
  [ $code = "${ends:-0}" ] || { echo "$1: ended with $code"; return 1; }
}
# places FILE: a simulation places the one pod of the file, within a minute of CPU time.
places() {
  decides "$1" || return 1
  grep -q '"scheduled": 1,' "$work/decided" || { head -c 600 "$work/decided"; return 1; }
}

# objects PERL: a list of what the Perl text prints with put(JSON).
objects() {
  perl -e 'my @all; sub put { push @all, @_ } eval shift; die $@ if $@; print q({"apiVersion":"v1","kind":"List","items":[), join(",", @all), "]}";
    # A node and a pod; further fields with a comma behind.
    sub node { my ($name, $memory) = @_;
      put qq({"kind":"Node","apiVersion":"v1","metadata":{"name":"$name"},"status":{"allocatable":{"cpu":"4","memory":"$memory","pods":"110"}}}); }
    sub pod { my ($name, $spec, $requests) = @_;
      put qq({"kind":"Pod","apiVersion":"v1","metadata":{"name":"$name"},"spec":{$spec"containers":[{"name":"c","image":"i",) .
        qq("resources":{"requests":{$requests}}}]}}); }' "$1"
}

# promise(tenant): Two pods whose `rbd` volumes list 200,000 Ceph monitors each, and a pod with 4,000 claims for 4,000
# volumes on 60 nodes, are decided within a minute of CPU time: the time does not grow with the square of a pod's list,
# nor with the product of two pods' lists.
lists_are_not_multiplied() {
  objects 'sub disk { my $of = shift;
      return q("volumes":[{"name":"v","rbd":{"image":"x","monitors":[) . join(",", map { "\"$of$_\"" } 1 .. 200_000) . "]}}],"; }
    node("n", "8Gi"); pod("a", q("nodeName":"n",) . disk("a")); pod("b", disk("b"));' >"$work/disks.json" &&
    # Each monitor compared with each takes more than five minutes.
    places "$work/disks.json" || return 1
  objects 'node("n$_", "8Gi") for 1 .. 60;
    put q({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"s"},"provisioner":"kubernetes.io/no-provisioner",) .
      q("volumeBindingMode":"WaitForFirstConsumer"});
    my $of = q("accessModes":["ReadWriteOnce"],"storageClassName":"s");
    for (1 .. 4000) {
      put qq({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c$_","namespace":"default"},) .
        qq("spec":{$of,"resources":{"requests":{"storage":"1Gi"}}}});
      put qq({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"p$_"},"spec":{$of,"capacity":{"storage":"2Gi"}},) .
        q("status":{"phase":"Available"}});
    }
    pod("b", q("volumes":[) . join(",", map { qq({"name":"v$_","persistentVolumeClaim":{"claimName":"c$_"}}) } 1 .. 4000) . "],");' \
    >"$work/claims.json" &&
    # Each volume looked for among those taken before takes more than two minutes.
    places "$work/claims.json" || return 1
  echo '200,000 monitors twice, 4,000 claims on 60 nodes: decided'
}

# promise(tenant): The whole simulation of a pod with 9,000 terms of anti-affinity, required or preferred, takes less
# than 192 MiB, even if each term selects the pods of 5,000 nodes.
terms_are_added_up() {
  local when
  for when in required preferred; do
    objects 'my $when = "'$when'";
      for (1 .. 5000) {
        put qq({"kind":"Node","apiVersion":"v1","metadata":{"name":"n$_","labels":{"kubernetes.io/hostname":"n$_"}},) .
          q("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}});
        put qq({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p$_","labels":{"app":"x"}},"spec":{"nodeName":"n$_",) .
          q("containers":[{"name":"c","image":"i"}]}});
      }
      my @terms = map { q({"topologyKey":"kubernetes.io/hostname","labelSelector":{"matchExpressions":[{"key":"app","operator":"NotIn",) .
        qq("values":["v$_"]}]}}) } 1 .. 9000;
      @terms = map { qq({"weight":1,"podAffinityTerm":$_}) } @terms if $when eq "preferred";
      pod("b", qq("affinity":{"podAntiAffinity":{"${when}DuringSchedulingIgnoredDuringExecution":[) . join(",", @terms) . "]}},");' \
      >"$work/terms.json" &&
      # A column of 5,000 numbers for each term takes 360 MiB more.
      decides "$work/terms.json" --memory-limit 192Mi || return 1
  done
  echo '9,000 terms on 5,000 nodes, required and preferred: decided in 192 MiB'
}

# promise(tenant): 100 preemptions in a cluster with 20,000 PodDisruptionBudgets in one namespace and 1,000 possible
# victims are decided within a minute of CPU time.
budgets_are_remembered() {
  objects 'for my $n (1 .. 100) {
      node("n$n", "8Gi");
      put qq({"kind":"Pod","apiVersion":"v1","metadata":{"name":"v$n-$_","namespace":"a","labels":{"app":"v","i":"$_"}},) .
        qq("spec":{"nodeName":"n$n","priority":0,"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"400m"}}}]}}) for 1 .. 10;
    }
    put qq({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"b$_","namespace":"a"},) .
      qq("spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x$_"}}}}) for 1 .. 20000;
    pod("p$_", q("priority":1000,), q("cpu":"2")) for 1 .. 100;' >"$work/budgets.json" &&
    # Each budget compared with each victim takes more than three minutes.
    decides "$work/budgets.json" || return 1
  grep -q '"scheduled": 100,' "$work/decided" || { head -c 600 "$work/decided"; return 1; }
  echo '20,000 budgets, 100 preemptions among 1,000 pods: decided'
}

# A node's 2^64 - 1 bytes are -1 as an int64, as upstream has it, and the pod leaves 2^61 of them: a hundred times that is the least int64, which
# a processor does not divide by -1.
numbers_wrap_around() {
  objects 'node($_, "18446744073709551615") for "n", "m"; pod("p", "", q("memory":"16140901064495857663"));' >"$work/numbers.json" &&
    ends=1 decides "$work/numbers.json" || return 1  # a score that is none counts as a fault of the plugin
  grep -q 'returns an invalid score' "$work/decided" || { head -c 600 "$work/decided"; return 1; }
  echo 'numbers beyond 64 bits: decided'
}
