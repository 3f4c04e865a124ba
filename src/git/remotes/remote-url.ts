import { isIP } from 'node:net'
import { isAllowedAddress, isAllowedPort } from '../../lib/public-address.ts'
import { GitError } from '../values/errors.ts'

/** The operator's settings: `allowPrivate` permits plain http and private addresses. */
export type RemotePolicy = { allowPrivate: boolean }

type Credentials = { username: string; password: string }

/**
 * The parsed address of a remote repository. `href` is rebuilt from its parts without user and
 * password. `credentials` is not enumerable, so a log line or a response that copies the value
 * omits it.
 */
export type RemoteUrl = {
  readonly href: string
  readonly protocol: 'https' | 'http'
  readonly hostname: string
  readonly port: number
  readonly credentials?: Credentials
}

const maxLength = 4096

/**
 * Parses the address of a remote. Throws GitError 'remote_scheme' for anything but https (and http
 * where allowed), 'remote_blocked' for an address that is not public, 'remote_port' for a port of
 * another protocol, and 'remote_invalid' for any text that two programs could parse differently.
 */
export function parseRemoteUrl(text: string, policy: RemotePolicy): RemoteUrl {
  const scheme = /^(https?):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (!scheme || (scheme === 'http' && !policy.allowPrivate))
    throw new GitError('remote_scheme', 'The repository address must start with https://.', {
      instead: overHttps(text),
    })

  const userinfo = checkSpelling(text, scheme)
  const url = parse(text)
  const hostname = url.hostname
  if (hostname === '' || hostname.endsWith('.')) throw invalid('its host is malformed')

  const bare = hostname.replace(/^\[|\]$/g, '')
  if (!policy.allowPrivate && isPrivateHost(bare)) throw blocked()

  if (!isAllowedPort(url))
    throw new GitError(
      'remote_port',
      'The port of the repository address is not allowed: it belongs to another protocol.',
    )

  const remote = {
    href: `${scheme}://${url.host}${url.pathname}`,
    protocol: scheme as 'https' | 'http',
    hostname: bare,
    port: Number(url.port) || (scheme === 'https' ? 443 : 80),
  }
  const credentials = userinfo === undefined ? undefined : parseCredentials(userinfo)

  return credentials ? Object.defineProperty(remote, 'credentials', { value: credentials }) : remote
}

/**
 * Returns the user information of an address, if any. Throws GitError 'remote_invalid' for an
 * ambiguous spelling.
 */
function checkSpelling(text: string, scheme: string): string | undefined {
  if (text.length > maxLength) throw invalid('it is too long')
  if (/[\s\x00-\x20\x7f-\x9f\\#?]|%0[0ad]/i.test(text))
    throw invalid('it contains characters that are not allowed')
  const authority = text.slice(scheme.length + 3).split('/')[0] ?? ''
  const at = authority.split('@')
  const host = at.at(-1) ?? ''
  if (at.length > 2 || host === '' || host.includes('%') || /\.(:\d*)?$/.test(host))
    throw invalid('its host is malformed')

  return at.length === 2 ? at[0] : undefined
}

const isPrivateHost = (host: string): boolean =>
  isIP(host) ? !isAllowedAddress(host) : /(^|\.)localhost$/i.test(host)

/**
 * Returns the likely https address of a repository that is reached by ssh, without user and port;
 * undefined for other forms. It is shown to users, so only plain characters are accepted.
 */
function overHttps(text: string): string | undefined {
  const found =
    /^ssh:\/\/(?:[^/@\s]*@)?([a-z0-9.-]+)(?::\d*)?\/([\w.~/-]+)$/i.exec(text) ??
    /^[\w.-]+@([a-z0-9.-]+):(?!\/\/)\/?([\w.~/-]+)$/i.exec(text)
  return found && text.length <= maxLength ? `https://${found[1]}/${found[2]}` : undefined
}

/** Returns the error for an address that the operator does not allow. */
export const blocked = (): GitError =>
  new GitError('remote_blocked', 'The repository address is not public.')

/** Returns the header that carries the credentials. */
export const authorization = ({ username, password }: Credentials): string =>
  `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/**
 * Returns the text without the secrets of the remote, in every form in which a server may echo
 * them.
 */
export function redact(text: string, { credentials }: RemoteUrl): string {
  if (!credentials) return text
  const { username, password } = credentials
  const whole = Buffer.from(`${username}:${password}`).toString('base64')
  const single = [username, password].filter(Boolean)
  const forms = single.flatMap(secret => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ])

  // The longest first, so that no part of a longer form remains.
  const all = [whole, ...forms].sort((a, b) => b.length - a.length)

  return all.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}

function parseCredentials(userinfo: string): Credentials | undefined {
  const [user = '', password = '', ...more] = userinfo.split(':')
  if (more.length > 0) throw invalid('its user name or password is malformed')
  let credentials: Credentials

  try {
    credentials = { username: decodeURIComponent(user), password: decodeURIComponent(password) }
  } catch {
    throw invalid('its user name or password is malformed')
  }

  const { username } = credentials
  if (/[\x00-\x1f\x7f]/.test(username + credentials.password) || username.includes(':'))
    throw invalid('its user name or password contains characters that are not allowed')

  return username === '' && credentials.password === '' ? undefined : credentials
}

function parse(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw invalid('it is malformed')
  }
}

const invalid = (why: string) =>
  new GitError('remote_invalid', `The repository address is invalid: ${why}.`)
