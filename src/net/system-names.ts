import { readFile, stat } from 'node:fs/promises'

/** Reads and parses a file again whenever it has changed. An unreadable file counts as empty. */
class ParsedFile<Value> {
  readonly #path: string
  readonly #parse: (text: string) => Value
  #stamp = ''
  #value: Value

  constructor(path: string, parse: (text: string) => Value) {
    this.#path = path
    this.#parse = parse
    this.#value = parse('')
  }

  async read(): Promise<Value> {
    try {
      const { mtimeMs, size, ino } = await stat(this.#path)
      const stamp = `${mtimeMs} ${size} ${ino}`
      if (stamp !== this.#stamp) {
        this.#value = this.#parse(await readFile(this.#path, 'utf8'))
        this.#stamp = stamp
      }
    } catch {
      this.#value = this.#parse('')
      this.#stamp = ''
    }
    return this.#value
  }
}

const lines = (text: string): string[][] =>
  text
    .split('\n')
    .map(line => line.replace(/[#;].*/, '').trim())
    .filter(line => line !== '')
    .map(line => line.split(/\s+/))

/** Returns the addresses of each name in a hosts file, by lower-case name. */
export function parseHosts(text: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>()
  for (const [address = '', ...names] of lines(text))
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), address])
    }
  return hosts
}

type SearchList = {
  domains: readonly string[]
  /** A name with fewer dots is looked up in the search domains first. */
  ndots: number
}

/**
 * Returns the search domains of a resolv.conf; as in the C library, the last "search" or "domain"
 * line wins.
 */
export function parseSearchList(text: string): SearchList {
  let domains: string[] = []
  let ndots = 1
  for (const [keyword, ...words] of lines(text)) {
    if (keyword === 'search') domains = words.slice(0, 6)
    else if (keyword === 'domain') domains = words.slice(0, 1)
    else if (keyword === 'options')
      ndots = Number(/(?:^| )ndots:(\d{1,2})(?: |$)/.exec(words.join(' '))?.[1] ?? ndots)
  }

  return { domains: domains.map(domain => domain.replace(/\.$/, '')).filter(Boolean), ndots }
}

/** Returns the names to query, in order; a trailing dot excludes the search domains. */
export function namesToAsk(host: string, { domains, ndots }: SearchList): string[] {
  if (host.endsWith('.')) return [host.slice(0, -1)]
  const found = domains.map(domain => `${host}.${domain}`)
  return host.split('.').length - 1 >= ndots ? [host, ...found] : [...found, host]
}

/** Opens the files in which the operator configures name resolution. */
export function openSystemNames(hostsFile = '/etc/hosts', resolvFile = '/etc/resolv.conf') {
  const hosts = new ParsedFile(hostsFile, parseHosts)
  const search = new ParsedFile(resolvFile, parseSearchList)
  return { hosts: () => hosts.read(), search: () => search.read() }
}
