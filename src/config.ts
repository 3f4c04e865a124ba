import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import { delimiter, resolve } from 'node:path'
import { z } from 'zod'
import { secretsInBase64 } from './lib/keys.ts'

/** An invalid setting. The message is one line with the variable, its value and what it takes. */
export class ConfigError extends Error {}

const megabyte = 1024 ** 2

function isNameServers(addresses: readonly string[]): boolean {
  try {
    new Resolver().setServers(addresses)
    return addresses.length > 0
  } catch {
    return false
  }
}

const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .transform(text => text === 'true' || text === '1')

/** Returns whether a sign-in may return to a URL that the operator names. */
function isRedirect(text: string): boolean {
  const url = URL.parse(text)
  return (
    url?.protocol === 'https:' && url.username === '' && url.password === '' && !text.includes('#')
  )
}

/** Returns whether a text is an origin as browsers send it, or `*` for any. */
const isOrigin = (text: string): boolean => text === '*' || URL.parse(text)?.origin === text

/** Returns whether a text is the address of a PostgreSQL database. */
export function isDatabase(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && /^\/[^/]+$/.test(url.pathname)
}

const siteHostRule = /^(\*\.)?([a-z0-9.-]+)=([A-Za-z0-9-]+)$/

/** Returns the rule that a text such as `*.docs.example.org=acme` states. */
function hostRuleOf(text: string): SiteHostRule {
  const [, wildcard, host = '', organization = ''] = siteHostRule.exec(text) ?? []
  return { host, below: wildcard !== undefined, organization }
}

/**
 * A host, or with `below` all hosts below it, that sites of an organization (its id or hostname)
 * may use.
 */
type SiteHostRule = { host: string; below: boolean; organization: string }

const Environment = z.object({
  STEMMA_DATA: z.string().min(1).default('./data'),
  STEMMA_DATABASE: z.string().refine(isDatabase).optional(),
  STEMMA_DATABASE_SECONDS: z.coerce.number().min(0.1).max(60).default(2),
  STEMMA_KEYS: z
    .string()
    .transform(text => secretsInBase64(text.replace(/\s/g, '').split(',')))
    .refine(keys => keys !== undefined)
    .optional(),
  HOST: z
    .string()
    .refine(host => isIP(host) !== 0 || /^[a-z0-9.-]+$/i.test(host))
    .default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65535).default(3000),
  STEMMA_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(url => !/[@?#]/.test(url))
    .optional(),
  STEMMA_SITES_URL: z
    .string()
    .regex(/^https?:\/\/(?:\{org\}\.)?[a-z0-9.-]+(?::\d{1,5})?\/?$/i)
    .optional(),
  STEMMA_SITE_HOSTS: z
    .string()
    .transform(text => text.split(',').map(rule => rule.trim()))
    .refine(rules => rules.every(rule => siteHostRule.test(rule)))
    .transform(rules => rules.map(hostRuleOf))
    .default([]),
  STEMMA_CORS_ORIGINS: z
    .string()
    .transform(text => text.split(',').map(origin => origin.trim().toLowerCase()))
    .refine(origins => origins.every(isOrigin))
    .default([]),
  STEMMA_ADMIN_TOKEN: z
    .string()
    .regex(/^stm_[0-9A-Za-z]{20,100}$/)
    .optional(),
  STEMMA_ALLOW_PRIVATE_REMOTES: flag.default(false),
  STEMMA_NAME_SERVERS: z
    .string()
    .transform(text => text.split(',').map(address => address.trim()))
    .refine(isNameServers)
    .default([]),
  STEMMA_TRUST_PROXY: z
    .string()
    .regex(/^(?:false|loopback|\d)$/)
    .transform(text => (text === 'loopback' ? text : Number(text) || (false as const)))
    .default(false),
  STEMMA_CACHE_MB: z.coerce.number().int().min(16).max(65_536).default(192),
  STEMMA_MADE_IMAGES_MB: z.coerce.number().int().min(0).max(1_000_000).default(1024),
  STEMMA_MAX_IMPORT_PACK_MB: z.coerce.number().int().min(1).max(1_000_000).default(256),
  STEMMA_MAX_REPOSITORY_MB: z.coerce.number().int().min(1).max(1_000_000).default(2048),
  STEMMA_MAX_IMPORT_SECONDS: z.coerce.number().int().min(1).max(86_400).default(600),
  STEMMA_MAX_UPLOAD_MB: z.coerce.number().int().min(1).max(1_000).default(50),
  STEMMA_MAX_COMMENTS_PER_HOUR: z.coerce.number().int().min(1).max(1_000_000).default(1000),
  STEMMA_MAX_ORGANIZATION_MB: z.coerce.number().int().min(0).max(100_000_000).default(51_200),
  STEMMA_MAX_SPACES_PER_DAY: z.coerce.number().int().min(0).max(1_000_000).default(200),
  STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: z.coerce.number().int().min(0).max(1_000_000).default(500),
  STEMMA_MAX_TOKENS: z.coerce.number().int().min(1).max(1_000_000).default(100),
  STEMMA_MAX_REQUESTS_PER_MINUTE: z.coerce.number().int().min(0).max(10_000_000).default(6000),
  STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: z.coerce.number().int().min(0).max(1_000_000).default(60),
  STEMMA_MAX_CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(0).max(100_000).default(512),
  STEMMA_SSO_REDIRECTS: z
    .string()
    .transform(text => text.split(',').map(url => url.trim()))
    .refine(urls => urls.every(isRedirect))
    .default([]),
  STEMMA_SSO_TOKEN_HOURS: z.coerce.number().int().min(1).max(720).default(12),
  STEMMA_SSO_CLOCK_SECONDS: z.coerce.number().int().min(0).max(600).default(120),
  STEMMA_SESSION_IDLE_MINUTES: z.coerce.number().int().min(5).max(43_200).default(120),
  STEMMA_WELCOME_ANYWHERE: flag.default(false),
  STEMMA_READ_ONLY: flag.default(false),
  STEMMA_AUDIT_READS: flag.default(false),
  STEMMA_MANUAL: flag.default(true),
  STEMMA_TEMPLATES: z.string().min(1).optional(),
  STEMMA_INTEGRATIONS: z.string().min(1).optional(),
  STEMMA_FONTS: z.string().min(1).optional(),
  STEMMA_LOG: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info'),
  STEMMA_METRICS_TOKEN: z.string().min(16).optional(),
  STEMMA_BACKUP_PASSPHRASE: z.string().min(12).optional(),
})

/**
 * The accepted values of each variable, for error messages. docs/configuration.md describes the
 * variables.
 */
const takes: Record<keyof z.input<typeof Environment>, string> = {
  STEMMA_DATA: 'a folder',
  STEMMA_DATABASE: 'the address of a PostgreSQL database, such as postgres://user@host/stemma',
  STEMMA_DATABASE_SECONDS: 'seconds from 0.1 to 60',
  STEMMA_KEYS: 'one to three keys of "openssl rand -base64 32", separated by commas',
  HOST: 'an address or a host name to listen on',
  PORT: 'a port from 0 to 65535 (0: any free one)',
  STEMMA_PUBLIC_URL: 'an http or https URL, without credentials and query',
  STEMMA_SITES_URL:
    'an http or https URL without a path; "{org}." before its host for a host per organization',
  STEMMA_SITE_HOSTS: 'rules such as "docs.example.org=acme,*.globex.example=globex"',
  STEMMA_CORS_ORIGINS: 'origins such as "https://app.example.org,http://localhost:5173", or "*"',
  STEMMA_ADMIN_TOKEN: '"stm_" and 20 to 100 letters and digits',
  STEMMA_ALLOW_PRIVATE_REMOTES: 'true or false',
  STEMMA_NAME_SERVERS: 'IP addresses, each with an optional port, separated by commas',
  STEMMA_TRUST_PROXY:
    'false, "loopback" (a proxy on this machine), or how many proxies stand before it (1 to 9)',
  STEMMA_CACHE_MB: 'megabytes from 16 to 65536',
  STEMMA_MADE_IMAGES_MB: 'megabytes from 1 to 1000000 (0: images are sent as they are)',
  STEMMA_MAX_IMPORT_PACK_MB: 'megabytes from 1 to 1000000',
  STEMMA_MAX_REPOSITORY_MB: 'megabytes from 1 to 1000000',
  STEMMA_MAX_IMPORT_SECONDS: 'seconds from 1 to 86400',
  STEMMA_MAX_UPLOAD_MB: 'megabytes from 1 to 1000',
  STEMMA_MAX_COMMENTS_PER_HOUR: 'comments and replies from 1 to 1000000',
  STEMMA_MAX_ORGANIZATION_MB: 'megabytes from 1 to 100000000 (0: no limit)',
  STEMMA_MAX_SPACES_PER_DAY: 'spaces from 1 to 1000000 (0: no limit)',
  STEMMA_MAX_CHANGE_REQUESTS_PER_DAY: 'change requests from 1 to 1000000 (0: no limit)',
  STEMMA_MAX_TOKENS: 'tokens from 1 to 1000000',
  STEMMA_MAX_REQUESTS_PER_MINUTE: 'requests from 1 to 10000000 (0: no limit)',
  STEMMA_MAX_AUTH_FAILURES_PER_MINUTE: 'requests from 1 to 1000000 (0: no limit)',
  STEMMA_MAX_CONNECTIONS_PER_ADDRESS: 'connections from 1 to 100000 (0: no limit)',
  STEMMA_SSO_REDIRECTS: 'https URLs without "#" and credentials, separated by commas',
  STEMMA_SSO_TOKEN_HOURS: 'hours from 1 to 720',
  STEMMA_SSO_CLOCK_SECONDS: 'seconds from 0 to 600',
  STEMMA_SESSION_IDLE_MINUTES: 'minutes from 5 to 43200',
  STEMMA_WELCOME_ANYWHERE: 'true or false',
  STEMMA_READ_ONLY: 'true or false',
  STEMMA_AUDIT_READS: 'true or false',
  STEMMA_MANUAL: 'true or false',
  STEMMA_TEMPLATES: 'a folder of templates',
  STEMMA_INTEGRATIONS: 'a folder of integrations',
  STEMMA_FONTS: 'folders of fonts, with ":" between them',
  STEMMA_LOG: 'fatal, error, warn, info, debug, trace or silent',
  STEMMA_METRICS_TOKEN: 'at least 16 characters',
  STEMMA_BACKUP_PASSPHRASE: 'at least 12 characters',
}

/**
 * Variables that are no published settings: read by the command line over HTTP, or by tests.
 */
export const otherVariables: readonly string[] = [
  'STEMMA_URL',
  'STEMMA_TOKEN',
  'STEMMA_REMOTE_URL',
  'STEMMA_CRASH_AT',
  'STEMMA_TEST_NO_JOURNAL',
  'STEMMA_TEST_NO_SWAP',
  'STEMMA_TEST_RUN_TWICE',
]

/** The names of all settings. */
export const settingNames: readonly string[] = Object.keys(takes)

/** All settings from the environment, read once at the start. */
export type Config = {
  readonly dataDir: string
  /**
   * The PostgreSQL database with the rows, and how long an answer may take; undefined: they are in a
   * file of the data folder.
   */
  readonly database: { readonly url: string; readonly deadlineMs: number } | undefined
  /**
   * The secrets of 32 bytes that all nodes of a database share: the first seals, any opens.
   * Undefined: the secret is in a file of the data folder.
   */
  readonly keys: readonly Buffer[] | undefined
  readonly host: string
  readonly port: number
  /** The base of `urls.*`, without a trailing slash; undefined: derived from host and port. */
  readonly publicUrl: string | undefined
  /**
   * The base of published sites, without a trailing slash, may begin with `{org}.`; undefined:
   * below the public URL.
   */
  readonly sitesUrl: string | undefined
  /** The hosts that sites may use when the server has several organizations. */
  readonly siteHosts: readonly SiteHostRule[]
  /** The origins of pages that may call the API, in lower case; '*' for all. */
  readonly corsOrigins: readonly string[]
  readonly adminToken: string | undefined
  readonly allowPrivateRemotes: boolean
  /** Name servers for host names of outgoing requests; empty: the system's. */
  readonly nameServers: readonly string[]
  /**
   * Which X-Forwarded-For headers are trusted: none, those of proxies on this machine, or that many
   * hops.
   */
  readonly trustProxy: false | 'loopback' | number
  /** Bytes of memory that all caches may hold together, by estimate. */
  readonly cacheBytes: number
  /** Bytes of disk that images made for sites may take together; 0: none are made. */
  readonly madeImagesBytes: number
  /** Bytes that a Git import may bring at once. */
  readonly maxImportPackBytes: number
  /** Bytes that a file may have which is uploaded over HTTP. */
  readonly maxUploadBytes: number
  /**
   * The maximum size in bytes of a space's repository; once it is reached, writes to the space are
   * refused.
   */
  readonly maxRepositoryBytes: number
  /** The same limit for all spaces of an organization together; 0: no limit. */
  readonly maxOrganizationBytes: number
  /** The maximum number of spaces that a user may create within 24 hours; 0: no limit. */
  readonly maxSpacesPerDay: number
  /** The maximum number of change requests that a user may open within 24 hours; 0: no limit. */
  readonly maxChangeRequestsPerDay: number
  /** The maximum number of tokens of a user. */
  readonly maxTokens: number
  /** The maximum number of requests of a user per minute; 0: no limit. */
  readonly maxRequestsPerMinute: number
  /** The maximum number of requests with an invalid token per minute and address; 0: no limit. */
  readonly maxAuthFailuresPerMinute: number
  /**
   * The maximum number of connections per address, except those of trusted proxies; 0: no limit.
   */
  readonly maxConnectionsPerAddress: number
  /** The addresses, besides those of this machine, to which a sign-in may return. */
  readonly ssoRedirects: readonly string[]
  /** The longest life of a token from an identity provider, and of a browser session, in hours. */
  readonly ssoTokenHours: number
  /** Seconds by which the clocks of identity providers may differ from that of the server. */
  readonly ssoClockSeconds: number
  /** The minutes after which a browser session ends that is not used. */
  readonly sessionIdleMinutes: number
  /**
   * True: links of the first start and of `stemma open` also work in browsers on other machines.
   */
  readonly welcomeAnywhere: boolean
  /** Whether the server refuses writes. */
  readonly readOnly: boolean
  /** Returns whether the audit log records reads of spaces. */
  readonly auditReads: boolean
  /** The maximum duration in milliseconds of a command that talks to a remote. */
  readonly maxImportMs: number
  /**
   * The maximum number of comments and replies that a user may post per hour; all users together
   * may post ten times as many in a space.
   */
  readonly maxCommentsPerHour: number
  /** True: the first start publishes the manual of Stemma. */
  readonly manual: boolean
  /** The folder of the operator's templates. */
  readonly templatesDir: string | undefined
  /** The folder of the operator's integrations. */
  readonly integrationsDir: string | undefined
  /** Folders of fonts for PDFs, in addition to the bundled ones. */
  readonly fontDirs: readonly string[]
  readonly logLevel: string
  readonly metricsToken: string | undefined
  /** The passphrase with which `stemma backup` encrypts, and `restore` and `repair` decrypt. */
  readonly backupPassphrase: string | undefined
  /** Returns whether every response is validated against its schema; for tests. */
  readonly checkReplies: boolean
}

/** Returns the URL for clients on this machine: a wildcard address cannot be called. */
export function hostUrl(host: string, port: number): string {
  const local = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${local.includes(':') ? `[${local}]` : local}:${port}`
}

const databaseOf = (url: string | undefined, seconds: number): Config['database'] =>
  url === undefined ? undefined : { url, deadlineMs: seconds * 1000 }

const foldersIn = (paths = ''): string[] =>
  paths
    .split(delimiter)
    .filter(Boolean)
    .map(path => resolve(path))

/** Returns the values of the variables, each checked. Throws ConfigError. */
function readValues(env: NodeJS.ProcessEnv): z.output<typeof Environment> {
  const set = Object.fromEntries(
    settingNames
      .map(name => [name, env[name]])
      .filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(set)
  if (!parsed.success) {
    const name = String(parsed.error.issues[0]?.path[0]) as keyof typeof takes
    // Secrets are not repeated in messages.
    const held = /_(?:TOKEN|PASSPHRASE|DATABASE|KEYS)$/.test(name)
      ? 'invalid'
      : JSON.stringify(env[name])
    throw new ConfigError(`${name} is ${held}; it takes ${takes[name]}.`)
  }

  const values = parsed.data
  if (values.STEMMA_KEYS && !values.STEMMA_DATABASE)
    throw new ConfigError(
      'STEMMA_KEYS is set without STEMMA_DATABASE; without a database, the key is a file of the data folder.',
    )
  return values
}

/** Reads the configuration from the environment. Throws ConfigError with a one-line message. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const values = readValues(env)

  return Object.freeze({
    dataDir: resolve(values.STEMMA_DATA),
    database: databaseOf(values.STEMMA_DATABASE, values.STEMMA_DATABASE_SECONDS),
    keys: values.STEMMA_KEYS,
    host: values.HOST,
    port: values.PORT,
    publicUrl: values.STEMMA_PUBLIC_URL?.replace(/\/+$/, ''),
    sitesUrl: values.STEMMA_SITES_URL?.replace(/\/+$/, ''),
    siteHosts: values.STEMMA_SITE_HOSTS,
    corsOrigins: values.STEMMA_CORS_ORIGINS,
    adminToken: values.STEMMA_ADMIN_TOKEN,
    allowPrivateRemotes: values.STEMMA_ALLOW_PRIVATE_REMOTES,
    nameServers: values.STEMMA_NAME_SERVERS,
    trustProxy: values.STEMMA_TRUST_PROXY,
    cacheBytes: values.STEMMA_CACHE_MB * megabyte,
    madeImagesBytes: values.STEMMA_MADE_IMAGES_MB * megabyte,
    maxImportPackBytes: values.STEMMA_MAX_IMPORT_PACK_MB * megabyte,
    maxUploadBytes: values.STEMMA_MAX_UPLOAD_MB * megabyte,
    maxRepositoryBytes: values.STEMMA_MAX_REPOSITORY_MB * megabyte,
    maxOrganizationBytes: values.STEMMA_MAX_ORGANIZATION_MB * megabyte,
    maxSpacesPerDay: values.STEMMA_MAX_SPACES_PER_DAY,
    maxChangeRequestsPerDay: values.STEMMA_MAX_CHANGE_REQUESTS_PER_DAY,
    maxTokens: values.STEMMA_MAX_TOKENS,
    maxRequestsPerMinute: values.STEMMA_MAX_REQUESTS_PER_MINUTE,
    maxAuthFailuresPerMinute: values.STEMMA_MAX_AUTH_FAILURES_PER_MINUTE,
    maxConnectionsPerAddress: values.STEMMA_MAX_CONNECTIONS_PER_ADDRESS,
    ssoRedirects: values.STEMMA_SSO_REDIRECTS,
    ssoTokenHours: values.STEMMA_SSO_TOKEN_HOURS,
    ssoClockSeconds: values.STEMMA_SSO_CLOCK_SECONDS,
    sessionIdleMinutes: values.STEMMA_SESSION_IDLE_MINUTES,
    welcomeAnywhere: values.STEMMA_WELCOME_ANYWHERE,
    readOnly: values.STEMMA_READ_ONLY,
    auditReads: values.STEMMA_AUDIT_READS,
    maxImportMs: values.STEMMA_MAX_IMPORT_SECONDS * 1000,
    maxCommentsPerHour: values.STEMMA_MAX_COMMENTS_PER_HOUR,
    manual: values.STEMMA_MANUAL,
    templatesDir: values.STEMMA_TEMPLATES && resolve(values.STEMMA_TEMPLATES),
    integrationsDir: values.STEMMA_INTEGRATIONS && resolve(values.STEMMA_INTEGRATIONS),
    fontDirs: foldersIn(values.STEMMA_FONTS),
    logLevel: values.STEMMA_LOG,
    metricsToken: values.STEMMA_METRICS_TOKEN,
    backupPassphrase: values.STEMMA_BACKUP_PASSPHRASE,
    checkReplies: env.NODE_ENV === 'test',
  })
}
