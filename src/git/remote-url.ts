import { isIP } from 'node:net'
import { isAllowedAddress, isAllowedPort } from '../lib/public-address.ts'
import { GitError } from './errors.ts'

/** What the operator allows: with `allowPrivate` plain http and addresses of the inner network too. */
export type RemotePolicy = { allowPrivate: boolean }

export type Credentials = { username: string; password: string }

/**
 * The address of a remote repository, taken apart. `href` is put together again from its parts, without user
 * and password. `credentials` is there but not enumerable: a log line or a response that copies the value
 * leaves it out.
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
 * Parses the address of a remote. Throws GitError 'remote_scheme' for anything but https (and http where allowed),
 * 'remote_blocked' for an address that is not public, 'remote_port' for a port of another protocol, and
 * 'remote_invalid' for every text that two programs could parse differently.
 */
export function parseRemoteUrl(text: string, policy: RemotePolicy): RemoteUrl {
  const scheme = /^(https?):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (!scheme || (scheme === 'http' && !policy.allowPrivate))
    throw new GitError('remote_scheme', 'The address of the repository must begin with https://.', {
      instead: overHttps(text),
    })
  if (text.length > maxLength) throw invalid('it is too long')
  if (/[\s\x00-\x20\x7f-\x9f\\#?]|%0[0ad]/i.test(text))
    throw invalid('it has characters that are not allowed')
  const authority = text.slice(scheme.length + 3).split('/')[0] ?? ''
  const at = authority.split('@')
  const host = at.at(-1) ?? ''
  if (at.length > 2 || host === '' || host.includes('%') || /\.(:\d*)?$/.test(host))
    throw invalid('its host cannot be read')
  const url = parse(text)
  const hostname = url.hostname
  if (hostname === '' || hostname.endsWith('.')) throw invalid('its host cannot be read')
  const bare = hostname.replace(/^\[|\]$/g, '')
  const inner = isIP(bare) ? !isAllowedAddress(bare) : /(^|\.)localhost$/i.test(hostname)
  if (inner && !policy.allowPrivate) throw blocked()
  if (!isAllowedPort(url))
    throw new GitError('remote_port', 'The port of the repository belongs to another protocol.')
  const remote = {
    href: `${scheme}://${url.host}${url.pathname}`,
    protocol: scheme as 'https' | 'http',
    hostname: bare,
    port: Number(url.port) || (scheme === 'https' ? 443 : 80),
  }
  const credentials = at.length === 2 ? parseCredentials(at[0]!) : undefined
  return credentials ? Object.defineProperty(remote, 'credentials', { value: credentials }) : remote
}

/**
 * What a host that is reached by ssh most likely has the repository at over https, without user and port; undefined for
 * an address of another form. It is shown to people, so nothing but plain characters comes through.
 */
function overHttps(text: string): string | undefined {
  const found =
    /^ssh:\/\/(?:[^/@\s]*@)?([a-z0-9.-]+)(?::\d*)?\/([\w.~/-]+)$/i.exec(text) ??
    /^[\w.-]+@([a-z0-9.-]+):(?!\/\/)\/?([\w.~/-]+)$/i.exec(text)
  return found && text.length <= maxLength ? `https://${found[1]}/${found[2]}` : undefined
}

/** The error for an address that the operator does not let us reach. */
export const blocked = (): GitError =>
  new GitError('remote_blocked', 'The address of the repository is not a public one.')

/** The header that carries the credentials. */
export const authorization = ({ username, password }: Credentials): string =>
  `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** The text without the secrets of the remote, in any of the forms in which a server may send them back. */
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
  // The longest first, so that no part of a longer form is left.
  const all = [whole, ...forms].sort((a, b) => b.length - a.length)
  return all.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}

function parseCredentials(userinfo: string): Credentials | undefined {
  const [user = '', password = '', ...more] = userinfo.split(':')
  if (more.length > 0) throw invalid('its user name or password cannot be read')
  let credentials: Credentials
  try {
    credentials = { username: decodeURIComponent(user), password: decodeURIComponent(password) }
  } catch {
    throw invalid('its user name or password cannot be read')
  }
  const { username } = credentials
  if (/[\x00-\x1f\x7f]/.test(username + credentials.password) || username.includes(':'))
    throw invalid('its user name or password cannot be used')
  return username === '' && credentials.password === '' ? undefined : credentials
}

function parse(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw invalid('it cannot be read')
  }
}

const invalid = (why: string) =>
  new GitError('remote_invalid', `The address of the repository cannot be used: ${why}.`)
