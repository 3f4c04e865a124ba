import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { asOid, type Oid } from '../../lib/oid.ts'
import { isAllowedAddress } from '../../lib/public-address.ts'
import type { ConfigPair } from '../process/environment.ts'
import { limiter, mostFileBytes } from '../process/limits.ts'
import type { Repository } from '../process/processes.ts'
import { type RunOptions, type RunResult, runGit } from '../process/run.ts'
import { checkRefName } from '../refs/refs.ts'
import { GitError } from '../values/errors.ts'
import { parseRefLines } from '../values/parse.ts'
import { remoteError } from './remote-errors.ts'
import { authorization, blocked, type RemotePolicy, type RemoteUrl } from './remote-url.ts'

/** A resolved and permitted remote: git connects to these addresses only. */
export type Remote = { readonly url: RemoteUrl; readonly addresses: readonly string[] }

/** How a network command runs; every command is bounded by these limits. */
export type NetworkOptions = {
  signal?: AbortSignal
  /** Milliseconds for the whole command. Default 600,000; for listing refs at most 60,000. */
  timeoutMs?: number
  /** Seconds after which a silent server is dropped. Default 30. */
  silentSeconds?: number
}

/** Resolves a host name to at least one address, or throws. */
export type Lookup = (hostname: string) => Promise<LookupAddress[]>

/** Remotes with more branches than this are refused. */
const maxRefs = 10_000

/**
 * The time limit for listing refs. Listing comes before every other command, so it also detects
 * hosts that accept no connection: git's own silence limit starts only after that.
 */
const lookingMs = 60_000

/**
 * Resolves the host of a remote once. All of its addresses must be public unless the policy allows
 * others; git is pinned to them, so a later DNS answer changes nothing. Call it before every use.
 * Throws GitError 'remote_blocked', 'unreachable', 'busy'.
 */
export async function resolveRemote(
  url: RemoteUrl,
  policy: RemotePolicy,
  lookup: Lookup,
): Promise<Remote> {
  const found = isIP(url.hostname) ? [url.hostname] : await addressesOf(url.hostname, lookup)
  if (!policy.allowPrivate && !found.every(isAllowedAddress)) throw blocked()
  return { url, addresses: found }
}

/**
 * Returns what a branch (a full ref) of the remote points at, undefined when it does not exist.
 * Throws GitError, see `remoteError`.
 */
export async function listRemoteRef(
  remote: Remote,
  ref: string,
  options: NetworkOptions = {},
): Promise<Oid | undefined> {
  checkRefName(ref)
  return (await listRemote(remote, [ref], options)).get(ref)
}

/**
 * Sets a branch of the remote to a commit of the repository if it still has the value `expected`
 * (null: it does not exist). The caller decides whether that must be a fast-forward. Throws
 * GitError 'rejected' when the branch has moved or is protected; for others see `remoteError`.
 */
export async function pushRemote(
  repo: Repository,
  remote: Remote,
  {
    oid,
    ref,
    expected,
    ...options
  }: { oid: Oid; ref: string; expected: Oid | null } & NetworkOptions,
): Promise<void> {
  checkRefName(ref)
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`
  const args = ['push', '--porcelain', '--no-verify', lease, '--', remote.url.href, `${oid}:${ref}`]
  await runRemote(repo, remote, args, options)
}

/**
 * Runs a network command of git: credentials and addresses are passed in the environment; memory,
 * time and file size (`fileBytes`, default 1 GiB) are bounded. Throws GitError on failure, see
 * `remoteError`.
 */
export async function runRemote(
  repo: { readonly dir: string } | null,
  { url, addresses }: Remote,
  args: readonly string[],
  { signal, timeoutMs = 600_000, silentSeconds = 30 }: NetworkOptions,
  more: Pick<RunOptions, 'onStderr' | 'config' | 'env'> & { fileBytes?: number } = {},
): Promise<RunResult> {
  const config: ConfigPair[] = [
    ['http.lowSpeedTime', String(silentSeconds)],
    ...(more.config ?? []),
  ]

  if (!isIP(url.hostname)) {
    const pins = addresses
      .map(address => (isIP(address) === 6 ? `[${address}]` : address))
      .join(',')
    config.push(['http.curloptResolve', `${url.hostname}:${url.port}:${pins}`])
  }

  if (url.credentials) config.push(['http.extraHeader', authorization(url.credentials)])

  const result = await runGit(repo, args, {
    config,
    protocols: url.protocol,
    slots: 'remote',
    timeoutMs,
    wrapper: limiter(more.fileBytes ?? mostFileBytes),
    maxStdout: 4 * 1024 * 1024,
    ...(signal && { signal }),
    ...(more.onStderr && { onStderr: more.onStderr }),
    ...(more.env && { env: more.env }),
  })

  // A rejected push is reported on stdout, in lines that start with "!".
  const own = result.stderr
    .split('\n')
    .filter(line => !isTrace(line))
    .join('\n')
  const said = own + result.stdout.toString().replace(/^[^!].*$/gm, '')
  if (result.code !== 0) throw remoteError(args[0] ?? 'git', result.code, said, url)

  return result
}

async function listRemote(remote: Remote, patterns: readonly string[], options: NetworkOptions) {
  const args = ['ls-remote', '--refs', '--', remote.url.href, ...patterns]
  const { stdout, stderr } = await runRemote(null, remote, args, atMost(lookingMs, options), {
    env: tracesHeaders,
  })
  if (!smart.test(stderr))
    throw new GitError('dumb_http', "The remote server does not speak Git's smart HTTP protocol.")

  const refs = parseRefLines(stdout.toString())

  if (refs.size > maxRefs)
    throw new GitError('too_many_refs', 'The remote repository has too many branches.', {
      limit: maxRefs,
    })

  return new Map([...refs].map(([ref, oid]) => [ref, asOid(oid)]))
}

/**
 * Makes Git trace HTTP response headers to stderr, without credentials: nothing else reveals
 * whether a server speaks the smart protocol. From a plain file server Git would also fetch, object
 * by object and past the limits of a fetch.
 */
const tracesHeaders = { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1', GIT_TRACE_REDACT: '1' }
const smart =
  /^[\d:.]+ http\.c.*<= Recv header: content-type: application\/x-git-upload-pack-advertisement\b/im

const isTrace = (line: string): boolean => /^[\d:.]+ \S+\.c:\d+ /.test(line)

const atMost = (ms: number, options: NetworkOptions): NetworkOptions => ({
  ...options,
  timeoutMs: Math.min(ms, options.timeoutMs ?? ms),
})

async function addressesOf(hostname: string, lookup: Lookup): Promise<string[]> {
  const found = await lookup(hostname).catch((error: { code?: unknown }): LookupAddress[] => {
    if (error.code !== 'EBUSY') return []
    throw new GitError('busy', 'Too many host names are being resolved. Try again in a moment.')
  })
  if (found.length === 0)
    throw new GitError('unreachable', 'The host of the repository cannot be resolved.')
  return found.map(({ address }) => address)
}
