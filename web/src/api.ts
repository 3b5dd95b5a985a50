// SPDX-License-Identifier: Apache-2.0
// What Berth answers under /apis/berth/v1alpha1 (docs/explain.md), and how it is asked.

export interface PodName {
  namespace: string;
  name: string;
  uid?: string;
}
export interface Rejection {
  nodes: number;
  plugin: string;
  status: string;
  reasons?: string[];
}
export interface Decision {
  seq: number;
  pod: PodName;
  profile: string;
  attempt: number;
  time: string;
  result: string;
  phase?: string;
  node?: string;
  message?: string;
  rejectedBy?: string[];
  nominatedNode?: string;
  evaluatedNodes: number;
  feasibleNodes: number;
  rejections?: Rejection[];
  seconds: number;
}
export interface Score {
  plugin: string;
  raw: number;
  normalized: number;
  weighted: number;
}
export interface NodeRecord {
  name: string;
  verdict?: { plugin: string; status: string; reasons?: string[] };
  scores?: Score[];
  total?: number;
}
export interface PluginTime {
  plugin: string;
  extensionPoint: string;
  nodes: number;
  seconds: number;
}
export interface Remedy {
  change: string;
  node: string;
  plugin: string;
  nodes: number;
}
export interface Evaluation extends Decision {
  nodes?: NodeRecord[];
  remedies?: Remedy[];
  omittedNodes?: number;
  notAsked?: string[];
  times?: PluginTime[];
}
export interface Waking {
  plugin: string;
  resource: string;
  actions: string[];
  hint: boolean;
}
export interface Standing {
  state: string;
  profile: string;
  node?: string;
  nominatedNode?: string;
  gatedBy?: string;
  attempts: number;
  since?: string;
  firstAttempt?: string;
  until?: string;
  rejectedBy?: string[];
  wakes?: Waking[];
}
interface Answer {
  leads: boolean;
  time: string;
}
export interface DecisionList extends Answer {
  items: Decision[];
  warnings?: string[];
}
export interface Explanation extends Answer {
  metadata: PodName;
  standing?: Standing;
  decisions: Decision[];
  evaluation?: Evaluation;
  warnings?: string[];
}

export interface NodeColumns extends Answer {
  names: string[];
  zones: string[];
  zone: number[];
  unschedulable: number[];
  resources: { name: string; allocatable: number[]; requested: number[] }[];
}
export interface NodePods extends Answer {
  name: string;
  zone: string;
  unschedulable: boolean;
  taints?: string[];
  pods: {
    pod: PodName;
    profile: string;
    priority: number;
    requests: Record<string, number>;
    assumed?: boolean;
    terminating?: boolean;
  }[];
}
/** Devices of one model: all, or those of a node. */
export interface DeviceCounts {
  driver: string;
  model?: string;
  devices: number;
  allocated: number;
  free: number; // partitions are each free until one of them takes what the others need
}
export interface DeviceUse extends Answer {
  watched: boolean;
  warnings?: string[];
  models?: (DeviceCounts & { nodes: number })[];
  nodes?: (DeviceCounts & { node?: string })[]; // no node: several nodes reach them
  omittedModels?: number;
  omittedNodes?: number;
}
export interface NodeDevices extends Answer {
  name: string;
  watched: boolean;
  warnings?: string[];
  devices?: {
    driver: string;
    pool: string;
    name: string;
    model?: string;
    allocated: boolean;
    free: boolean;
    claims?: { namespace: string; name: string; pods: string[]; omittedPods?: number; adminAccess?: boolean }[];
    omittedClaims?: number;
  }[];
  omitted?: number;
}
export interface WaitingPod {
  pod: PodName;
  state: string;
  profile: string;
  attempts: number;
  since?: string;
  firstAttempt?: string;
  until?: string;
  gatedBy?: string;
  nominatedNode?: string;
  rejectedBy?: string[];
  evaluatedNodes?: number;
  message?: string;
  rejections?: Rejection[];
}
export interface WaitingPods extends Answer {
  counts: { active: number; backingOff: number; unschedulable: number; gated: number };
  items: WaitingPod[];
  omitted?: number;
  wakes: Waking[];
}

export interface PluginPlace {
  plugin: string;
  weight?: number;
  calls: number;
  nodes: number;
  rejections: number;
  seconds: number;
  latency?: number[]; // calls, by how long they took; one more than there are bounds
}
export interface PluginProfile {
  name: string;
  points: { extensionPoint: string; plugins: PluginPlace[] }[];
}
export interface PluginList extends Answer {
  latencyBounds: number[]; // seconds
  profiles: PluginProfile[];
  plugins: { name: string; file?: string; version?: string; sha256?: string; failures: number; quarantine?: string }[];
}

export interface MemoryUse extends Answer {
  resident: number; // bytes, as all of these
  limit?: number; // not there: there is none
  used?: number;
  left?: number;
  kinds: { name: string; bytes: number }[];
  warnings?: string[];
}

export interface ProfileChange {
  name: string;
  weights?: Record<string, number>;
  enable?: string[];
  disable?: string[];
}
export interface Outcome {
  scheduled: number;
  pending: number;
  evicted: number;
  resources: { name: string; requested: number; allocatable: number; nodes: number[] }[]; // nodes by tenths of it
  devices?: (DeviceCounts & { nodes: number })[];
}
export interface AddedNodes {
  count: number;
  like?: string;
  allocatable?: Record<string, string>;
  labels?: Record<string, string>;
  taints?: { key: string; value?: string; effect?: string }[];
}
export interface WhatIf {
  live: boolean;
  state: 'Idle' | 'Running' | 'Done' | 'Failed';
  changes?: { profiles?: ProfileChange[]; addNodes?: AddedNodes[]; removeNodes?: string[]; pods?: string };
  error?: string;
  configuration?: string;
  nodes?: string; // those that were added, as YAML
  before?: Outcome;
  after?: Outcome;
  differing?: number;
  differences?: { pod: PodName; before?: string; after?: string }[];
}

/** An answer that is none; `status` is HTTP's, 0 if nobody answered. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const tokenKey = 'berth-token';
/** It is kept for as long as the tab is open. */
export function useToken(token: string) {
  sessionStorage.setItem(tokenKey, token.trim());
}
export function hasToken() {
  return !!sessionStorage.getItem(tokenKey);
}

/** A good answer; any other is thrown as a Refusal. */
async function ask(path: string, request: RequestInit): Promise<Response> {
  const token = sessionStorage.getItem(tokenKey);
  let response: Response;
  try {
    response = await fetch('/apis/berth/v1alpha1/' + path, {
      ...request,
      headers: token ? { Authorization: 'Bearer ' + token } : {},
    });
  } catch (error) {
    if (request.signal?.aborted) throw error;
    throw new Refusal(0, 'Berth does not answer. Is it still running?');
  }
  if (response.ok) return response;
  const body = await response.text();
  let message = body.trim();
  try {
    message = (JSON.parse(body) as { message?: string }).message ?? message;
  } catch {
    // Not every refusal is a Status.
  }
  throw new Refusal(response.status, message);
}

const text = async (path: string, request: RequestInit) => (await ask(path, request)).text();

export async function get<T>(path: string, signal: AbortSignal): Promise<T> {
  return JSON.parse(await text(path, { signal })) as T;
}

export async function put(path: string, body: unknown): Promise<void> {
  await text(path, { method: 'PUT', body: JSON.stringify(body) });
}

/**
 * Listens to what happens, and tells what it is called, until Berth ends it, which it does now and then: true. False: nothing comes
 * through at once, as behind a proxy that waits for the end. (An EventSource cannot show a token.)
 */
export async function follow(heard: (id: string) => void, signal: AbortSignal): Promise<boolean> {
  const quiet = new AbortController();
  const timer = setTimeout(() => quiet.abort(), 5000);
  const stop = () => quiet.abort();
  signal.addEventListener('abort', stop);
  try {
    const body = (await ask('changes?follow=true', { signal: quiet.signal })).body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ''; ; ) {
      const { value, done } = await body.read();
      clearTimeout(timer);
      if (done) return true;
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.startsWith('id: ')) heard(line.slice(4));
    }
  } catch (error) {
    if (quiet.signal.aborted && !signal.aborted) return false;
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

/** Waits until something is different from what `since` names (or half a minute); returns the name of what is now. */
export async function changed(since: string, signal: AbortSignal): Promise<string> {
  const event = await text('changes?since=' + encodeURIComponent(since), { signal });
  return /^id: (.*)$/m.exec(event)?.[1] ?? since;
}
