/** The levels of a scope, weakest first. A stronger level includes the weaker ones. */
export const scopeLevels = ['read', 'write', 'admin'] as const

/** The families of operations that scopes distinguish. */
export const scopeFamilies = [
  'content',
  'change-requests',
  'comments',
  'spaces',
  'organization',
  'sites',
  'integrations',
  'openapi',
  'webhooks',
  'tokens',
  'user',
] as const

type ScopeLevel = (typeof scopeLevels)[number]
export type ScopeFamily = (typeof scopeFamilies)[number]

/** A level for all families ("read"), or for one ("content:read"). */
export type Scope = ScopeLevel | `${ScopeFamily}:${ScopeLevel}`

/** The scope that an operation needs; "admin" is full scope. */
export type NeededScope = 'admin' | `${ScopeFamily}:${ScopeLevel}`

/** The scopes of a token that may do everything its user may. */
export const fullScopes: readonly Scope[] = ['admin']

/** Every scope. */
export const scopes: readonly Scope[] = [
  ...scopeLevels,
  ...scopeFamilies.flatMap(family => scopeLevels.map(level => `${family}:${level}` as const)),
]

type Rule = readonly [path: RegExp, family: ScopeFamily, toWrite: ScopeLevel, toRead?: 'admin']

/**
 * The family of an operation by its path (the first match decides) and the level that its writes
 * need. "admin" is for operations that grant rights, reveal secrets (the id of an invite link
 * admits its reader; a ping returns a signed statement about the user), publish or destroy. Reads
 * need "read" unless the rule says otherwise.
 */
const rules: readonly Rule[] = [
  [/^\/integrations(?:\/|$)/, 'integrations', 'admin'],
  [/\/(?:integrations|installations|integration-scripts)$/, 'integrations', 'admin'],
  [/\/tokens(?:\/|$)|^\/user\/sessions(?:\/|$)|^\/sso\/token$/, 'tokens', 'admin'],
  [/\/webhooks(?:\/|$)/, 'webhooks', 'admin'],
  [/\/openapi(?:\/|$)/, 'openapi', 'write'],
  [/\/sites\/:siteId\/(?:share-links|publishing)(?:\/|$)/, 'sites', 'admin', 'admin'],
  [/\/sites\/:siteId(?:\/(?:publish|unpublish|permissions(?:\/.*)?))?$/, 'sites', 'admin'],
  // A search and a sum of events are a POST that only reads.
  [/\/sites\/:siteId\/(?:search|insights\/events\/aggregate)$/, 'sites', 'read'],
  [/^\/custom-hostnames\//, 'sites', 'admin'],
  [/\/sites(?:\/|$)|^\/subdomains\//, 'sites', 'write'],
  [/\/permissions(?:\/|$)/, 'spaces', 'admin'],
  [/\/(?:comments|commenters)(?:\/|$)/, 'comments', 'write'],
  // A revert opens a change request.
  [/\/change-requests(?:\/|$)|\/content\/revert$/, 'change-requests', 'write'],
  [/\/storage\/upload$|^\/org\/:organizationId\/imports(?:\/|$)/, 'content', 'write'],
  [/\/(?:content|revisions|search|links|pdf|git)(?:\/|$)|^\/templates$/, 'content', 'write'],
  [/^\/(?:spaces|collections)\/:\w+(?:\/restore|\/transfer)?$/, 'spaces', 'admin'],
  [
    /^\/(?:spaces|collections)\/|^\/orgs\/:organizationId\/(?:spaces|deleted-spaces|collections)$/,
    'spaces',
    'write',
  ],
  [/\/link-invites(?:\/|$)/, 'organization', 'admin', 'admin'],
  [/^\/orgs(?:\/|$)|^\/email-domains\/|^\/user\/invitations(?:\/|$)/, 'organization', 'admin'],
  [/^\/users?(?:\/|$)/, 'user', 'write'],
]

/** Operations that every token may call: the caller, the server, and public keys. */
const open: ReadonlySet<string> = new Set([
  'GET /',
  'GET /user',
  'GET /orgs/:organizationId/.well-known/jwks.json',
  'GET /orgs/:organizationId/sso',
  'POST /urls/published',
  'GET /urls/published',
])

/**
 * Operations that need full scope: they lead to tokens of integrations, whose scopes may go beyond
 * those of the token of the request.
 */
const full: ReadonlySet<string> = new Set([
  'POST /integrations/:integrationName/secret',
  'POST /integrations/:integrationName/installations',
  'POST /integrations/:integrationName/installations/:installationId/tokens',
])

/**
 * Returns the scope that a token needs for an operation ("METHOD /path/:name"); undefined for none.
 * A path without a rule needs full scope, so that a new operation is never open by mistake.
 */
export function scopeNeeded(key: string): NeededScope | undefined {
  if (open.has(key)) return undefined
  if (full.has(key)) return 'admin'
  const [method = '', path = ''] = key.split(' ')
  const rule = rules.find(([pattern]) => pattern.test(path))
  if (!rule) return 'admin'
  const [, family, toWrite, toRead = 'read'] = rule
  return `${family}:${method === 'GET' ? toRead : toWrite}`
}

/** Returns whether scopes include a needed one. */
export function covers(held: readonly string[], needed: NeededScope): boolean {
  if (needed === 'admin') return held.includes(needed)
  const [family, level] = needed.split(':') as [ScopeFamily, ScopeLevel]
  const enough = scopeLevels.slice(scopeLevels.indexOf(level))
  return enough.some(each => held.includes(each) || held.includes(`${family}:${each}`))
}

/**
 * Returns the first of the wanted scopes that the held ones do not cover; undefined when all are
 * covered.
 */
export const firstBeyond = (wanted: readonly Scope[], held: readonly string[]): Scope | undefined =>
  wanted.find(scope =>
    scopeFamilies.some(family => {
      if (!scope.includes(':')) return !covers(held, `${family}:${scope as ScopeLevel}`)
      return scope.startsWith(`${family}:`) && !covers(held, scope as NeededScope)
    }),
  )
