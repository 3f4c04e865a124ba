/** The directives that a policy may name. */
export const policyDirectives = [
  'base-uri',
  'block-all-mixed-content',
  'child-src',
  'connect-src',
  'default-src',
  'font-src',
  'form-action',
  'frame-ancestors',
  'frame-src',
  'img-src',
  'manifest-src',
  'media-src',
  'navigate-to',
  'object-src',
  'plugin-types',
  'prefetch-src',
  'referrer',
  'report-to',
  'report-uri',
  'require-sri-for',
  'require-trusted-types-for',
  'sandbox',
  'script-src',
  'script-src-attr',
  'script-src-elem',
  'style-src',
  'style-src-attr',
  'style-src-elem',
  'trusted-types',
  'upgrade-insecure-requests',
  'worker-src',
] as const

type Directive = (typeof policyDirectives)[number]

const known: ReadonlySet<string> = new Set(policyDirectives)

/**
 * Directives that are not published: those that report elsewhere, obsolete ones, and those with
 * which a page would become weaker than its site wants (plugins, the base of links, who may frame
 * it).
 */
const unpublished: ReadonlySet<string> = new Set<Directive>([
  'base-uri',
  'block-all-mixed-content',
  'frame-ancestors',
  'navigate-to',
  'object-src',
  'plugin-types',
  'prefetch-src',
  'referrer',
  'report-to',
  'report-uri',
  'require-sri-for',
  'sandbox',
])

/** The directives that decide which scripts run. */
const ofScripts: ReadonlySet<string> = new Set<Directive>([
  'default-src',
  'script-src',
  'script-src-attr',
  'script-src-elem',
  'worker-src',
])

/**
 * The keywords that such a directive may name; others, such as 'unsafe-inline', would allow any
 * script.
 */
const keywords: ReadonlySet<string> = new Set([
  "'self'",
  "'none'",
  "'strict-dynamic'",
  "'report-sample'",
  "'wasm-unsafe-eval'",
])

/** A policy as text, or as an object of directives. */
export type PolicyInput = string | { readonly [directive: string]: string }

type CheckedPolicy = { policy: string } | { problem: string }

/**
 * Returns a policy as one normalised text ("directive value; directive value"), or what is wrong
 * with it. With `injects`, the integration may put scripts into pages: its policy must not allow
 * arbitrary scripts.
 */
export function checkPolicy(input: PolicyInput, { injects }: { injects: boolean }): CheckedPolicy {
  const directives = typeof input === 'string' ? fromText(input) : fromObject(input)
  if ('problem' in directives) return directives
  const seen = new Set<string>()

  for (const [name, value] of directives.list) {
    const problem = problemOf(name, value, injects)
    if (problem !== undefined) return { problem }
    if (seen.has(name)) return { problem: `names "${name}" twice` }
    seen.add(name)
  }

  return { policy: directives.list.map(textOf).join('; ') }
}

type Parsed = { list: [name: string, value: string][] } | { problem: string }

function fromText(text: string): Parsed {
  if (/[\r\n]/.test(text)) return { problem: 'contains a line break' }
  const parts = text
    .split(';')
    .map(part => part.trim())
    .filter(part => part !== '')

  return {
    list: parts.map(part => {
      const [name = '', ...values] = part.split(/\s+/)
      return [name.toLowerCase(), values.join(' ')]
    }),
  }
}

function fromObject(object: { readonly [directive: string]: string }): Parsed {
  const list = Object.entries(object).map(([name, given]): [string, string] => [
    name,
    given
      .replace(/[\r\n]+/g, ' ')
      .trim()
      .replace(/\s*;$/, '')
      .replace(/\s+/g, ' '),
  ])
  const divided = list.find(([, value]) => value.includes(';'))
  return divided ? { problem: `has ";" inside the value of "${divided[0]}"` } : { list }
}

function problemOf(name: string, value: string, injects: boolean): string | undefined {
  if (!known.has(name)) return `has the unknown directive "${name.slice(0, 50)}"`
  if (value.includes(',')) return `has "," in the value of "${name}"`
  if (!/^[\x20-\x7e]*$/.test(value))
    return `has characters outside of printable ASCII in the value of "${name}"`
  const open = injects && ofScripts.has(name) ? value.split(' ').find(isAnyScript) : undefined
  return open === undefined
    ? undefined
    : `allows any script with "${open}" in "${name}", which integrations with the scope "site:script:inject" must not`
}

/**
 * Second-level domains below which everybody can register a name, such as `co.uk`: those that most
 * countries have.
 */
const openDomain = /^\*\.(?:ac|co|com|edu|go|gov|ne|net|or|org)\.[a-z]{2}\.?$/

/**
 * Returns whether a source would allow any script: a keyword that is unsafe or unknown, a bare
 * scheme, or a wildcard that stands for every host, for every host below a single label, or for
 * every host below a domain that is open to everybody.
 */
export function isAnyScript(source: string): boolean {
  const text = source.toLowerCase()
  if (text.startsWith("'"))
    return !keywords.has(text) && !/^'(?:nonce|sha256|sha384|sha512)-[^']+'$/.test(text)
  if (/^[a-z][a-z0-9+.-]*:(?:\/\/)?$/.test(text)) return true
  const host = text.replace(/^[^/]*:\/\//, '').replace(/[/:?#].*$/, '')
  return host.includes('*') && (!/^\*(?:\.[a-z0-9_-]+){2,}\.?$/.test(host) || openDomain.test(host))
}

const textOf = ([name, value]: [string, string]): string =>
  value === '' ? name : `${name} ${value}`

/**
 * Returns the part of a normalised policy that pages with scripts of the integration may add to
 * theirs; '' for none.
 */
export const publishedPolicy = (policy: string): string =>
  policy
    .split('; ')
    .filter(directive => directive !== '' && !unpublished.has(directive.split(' ', 1)[0] as string))
    .join('; ')
