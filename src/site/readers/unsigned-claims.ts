import type { Request } from 'express'

/** Cookies of the company's own application begin with this. */
const cookieName = /^gitbook-visitor-public[\w-]{0,64}$/
const parameterName = /^visitor((?:\.[A-Za-z_][A-Za-z0-9_-]{0,63}){1,5})$/
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const mostCookies = 10
const mostParameters = 50
/** The most bytes of all cookies, and of the query, that are read. */
const mostBytes = 8_192

type Claims = Record<string, unknown>

/**
 * Returns the claims that a browser states without a signature: those of the cookies
 * `gitbook-visitor-public…` (JSON objects), and of parameters such as `visitor.plan=pro` in the
 * address, which win. Undefined for none. What the schema of a site does not name is left out
 * later.
 */
export function unsignedClaims({
  headers,
  originalUrl,
}: Pick<Request, 'headers' | 'originalUrl'>): Claims | undefined {
  const cookies = headers.cookie ?? ''
  const query = originalUrl.includes('?') ? originalUrl.slice(originalUrl.indexOf('?') + 1) : ''
  const claims: Claims = {}
  if (cookies.includes('gitbook-visitor-public')) readCookies(claims, cookies)
  if (query.includes('visitor.') && query.length <= mostBytes) readQuery(claims, query)
  return Object.keys(claims).length === 0 ? undefined : claims
}

function readCookies(claims: Claims, header: string): void {
  const found = header
    .split(';', 200)
    .map(pair => pair.trim())
    .filter(pair => cookieName.test(pair.split('=', 1)[0] ?? ''))
    .slice(0, mostCookies)
  if (found.reduce((bytes, { length }) => bytes + length, 0) > mostBytes) return

  for (const pair of found.sort()) {
    const value = objectIn(decoded(pair.slice(pair.indexOf('=') + 1)))
    for (const [name, claim] of Object.entries(value)) put(claims, [name], claim)
  }
}

function readQuery(claims: Claims, query: string): void {
  for (const [name, value] of [...new URLSearchParams(query)].slice(0, mostParameters)) {
    const path = parameterName.exec(name)?.[1]?.slice(1).split('.')
    if (path) put(claims, path, claimIn(value))
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Claims =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function objectIn(text: string): Claims {
  const value = parsed(text)
  return isObject(value) ? value : {}
}

/**
 * Returns the value of a parameter: true, false, null, a number, a JSON object or list, otherwise
 * the text.
 */
function claimIn(text: string): unknown {
  if (!/^(?:true|false|null|-?\d|[[{])/.test(text)) return text
  const value = parsed(text)
  return value === undefined ? text : value
}

/** Sets a claim at a path. A name that objects have by themselves is left out. */
function put(claims: Claims, path: readonly string[], value: unknown): void {
  if (path.some(name => forbidden.has(name))) return
  let at = claims
  for (const name of path.slice(0, -1)) {
    const inner = Object.hasOwn(at, name) ? at[name] : undefined
    const next: Claims = isObject(inner) ? inner : {}
    at[name] = next
    at = next
  }

  at[path.at(-1) as string] = value
}
