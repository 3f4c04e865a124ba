import { blockMarkdown, code, lineMarkdown, words } from './text.ts'
import { clip, follow, isObject, listIn, objectIn, ownIn, textIn } from './value.ts'

const mostOfEach = 20

/** Returns how a call is authorized, as Markdown; '' when the spec does not define it. */
export function securityMarkdown(document: unknown, operation: unknown): string {
  const written = ownIn(operation, 'security') ?? ownIn(document, 'security')
  if (!Array.isArray(written)) return ''
  const choices = written
    .slice(0, mostOfEach)
    .map(choice => Object.entries(objectIn(choice)).slice(0, mostOfEach))
  const isOpen = choices.length === 0 || choices.some(choice => choice.length === 0)
  const real = choices.filter(choice => choice.length > 0)
  if (real.length === 0) return 'No authorization is needed.'
  const needs = needsOf(operation)

  const lines = real.map(
    choice =>
      `- ${choice.map(([name, scopes]) => schemeText(document, name, scopes)).join(' and ')}`,
  )

  const choicesText = [...lines, ...(isOpen ? ['- or none'] : [])].join('\n')
  return needs === '' ? choicesText : `${choicesText}\n\n${needs}`
}

/** Returns the role and the scope that an operation names in extensions, as Markdown; '' for none. */
const needsOf = (operation: unknown): string =>
  (
    [
      ['Role', words(textIn(operation, 'x-stemma-role', 200))],
      ['Scope', code(textIn(operation, 'x-stemma-scope', 200))],
    ] as const
  )
    .filter(([, text]) => text !== '')
    .map(([label, text]) => `**${label}**: ${text}`)
    .join(' · ')

function schemeText(document: unknown, name: string, scopes: unknown): string {
  const schemes = ownIn(ownIn(document, 'components'), 'securitySchemes')
  const scheme = follow(document, ownIn(schemes, name)).value
  const asked = listIn(scopes)
    .slice(0, mostOfEach)
    .filter(scope => typeof scope === 'string')
    .map(scope => code(clip(scope, 100)))
  const means = meansOf(scheme)
  const description = lineMarkdown(textIn(scheme, 'description', 500))

  return [
    `**${words(clip(name, 100))}**`,
    ...(means ? [`: ${means}`] : ''),
    ...(asked.length > 0 ? [` with ${asked.join(', ')}`] : []),
    ...(description ? [` — ${description}`] : []),
  ].join('')
}

function meansOf(scheme: unknown): string {
  if (!isObject(scheme)) return 'not described'
  const type = textIn(scheme, 'type')
  if (type === 'apiKey')
    return `a key in the ${words(textIn(scheme, 'in', 20))} ${code(textIn(scheme, 'name'))}`

  if (type === 'http') {
    const format = textIn(scheme, 'bearerFormat', 50)
    return `HTTP ${words(textIn(scheme, 'scheme', 50))}${format ? ` (${words(format)})` : ''}`
  }

  if (type === 'oauth2') return 'OAuth 2.0'
  if (type === 'openIdConnect') return 'OpenID Connect'

  return type === 'mutualTLS' ? 'a client certificate' : words(type)
}

/**
 * Returns the servers of the first holder that has some, or else of the document, as a Markdown
 * list; '' for none.
 */
export function serversMarkdown(document: unknown, ...holders: readonly unknown[]): string {
  const holder = [...holders, document].find(each => listIn(ownIn(each, 'servers')).length > 0)
  return listIn(ownIn(holder, 'servers'))
    .slice(0, mostOfEach)
    .map(server => [urlOf(server), lineMarkdown(textIn(server, 'description', 500))])
    .filter(([url]) => url !== '')
    .map(([url, description]) => `- ${url}${description ? ` — ${description}` : ''}`)
    .join('\n')
}

/**
 * Returns the address of the first server, with the defaults of its variables; undefined if it is
 * no web address.
 */
export function firstServer(document: unknown, ...holders: readonly unknown[]): string | undefined {
  const [url] = serverUrls(document, ...holders)
  return url !== undefined && webAddress.test(url) ? url : undefined
}

/**
 * Returns the addresses of the servers that apply, with the defaults of their variables; not all
 * are web addresses.
 */
export function serverUrls(document: unknown, ...holders: readonly unknown[]): string[] {
  const holder = [...holders, document].find(each => listIn(ownIn(each, 'servers')).length > 0)
  return listIn(ownIn(holder, 'servers')).slice(0, mostOfEach).map(filledUrl)
}

const webAddress = /^https?:\/\/[\w.~:/?#@!$&'()*+,;=%[\]-]+$/

/**
 * Returns the address of a server with the defaults of its variables: a link if it is a web
 * address, code otherwise.
 */
function urlOf(server: unknown): string {
  const url = filledUrl(server)
  return webAddress.test(url) ? `<${url}>` : code(url)
}

function filledUrl(server: unknown): string {
  const variables = ownIn(server, 'variables')
  return textIn(server, 'url', 500).replace(/\{([^{}]{1,100})\}/g, (whole, name: string) => {
    const variable = ownIn(variables, name)
    const standard = ownIn(variable, 'default')
    if (typeof standard === 'boolean') return String(standard)
    return textIn(variable, 'default') || whole
  })
}

/** Returns the description, servers, licence and contact of a spec, as Markdown. */
export function infoMarkdown(document: unknown): string {
  const info = ownIn(document, 'info')
  const version = textIn(info, 'version', 100)
  const parts = [
    version ? `Version ${code(version)}` : '',
    blockMarkdown(textIn(info, 'description', 100_000)),
    linkTo('License', ownIn(info, 'license')),
    linkTo('Contact', ownIn(info, 'contact')),
    linkTo('More', ownIn(document, 'externalDocs')),
  ]
  const servers = serversMarkdown(document)
  if (servers !== '') parts.push(`## Servers\n\n${servers}`)

  return parts.filter(part => part !== '').join('\n\n')
}

/**
 * Returns a line with a label and a name, linked if there is a web address; '' when there is no
 * name.
 */
export function linkTo(label: string, holder: unknown): string {
  const name = words(
    textIn(holder, 'name') || textIn(holder, 'description') || textIn(holder, 'url', 500),
  )
  const url = textIn(holder, 'url', 500)
  if (name === '') return ''
  return `${label}: ${/^https?:\/\/[^\s<>]+$/.test(url) ? `[${name.replaceAll('<', '')}](<${url}>)` : name}`
}
