import { dirname } from 'node:path'

/** The names and files created below a folder, and what a power cut could still undo. */
export type Unsynced = {
  /** Takes a line of `strace -f -y`. Returns the status if it is the start of an HTTP response. */
  take: (line: string) => number | undefined
  /** What may not be on the disk yet, one line each. */
  list: () => string[]
  /** What was removed before its replacement was certain to be on the disk, one line each. */
  early: () => string[]
}

/** A file or folder created since the start. */
type Made = { named: boolean; written: boolean }

/**
 * Follows the system calls of a server's processes, which strace lists in the order of their ends.
 */
export function openUnsynced(root: string, ignored: RegExp): Unsynced {
  const made = new Map<string, Made>()
  const begun = new Map<string, string>()
  const early = new Set<string>()

  /** Names that were synced once: a later overwrite leaves either the old or the new file. */
  const safe = new Set<string>()
  const short = (path: string) => path.slice(root.length + 1)
  const within = (path: string) => path.startsWith(`${root}/`) && !ignored.test(short(path))
  const move = (from: string, to: string, keep: boolean) => {
    for (const [path, state] of [...made]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue
      if (!keep) made.delete(path)
      const next = to + path.slice(from.length)
      if (within(next)) made.set(next, { ...state, named: path === from ? false : state.named })
    }
    if (!made.has(to) && within(to)) made.set(to, { named: false, written: true })
  }

  const remove = (path: string) => {
    const known = made.delete(path)
    if (known || !within(path)) return

    // A loose object or ref may be removed once a pack or packed-refs holds the same. Within one
    // folder the order is kept anyway.
    const [, repo, kind] = /^(.*\.git)\/(objects|refs)\/(?!pack\/)/.exec(path) ?? []
    const heir = kind === 'refs' ? `${repo}/packed-refs` : `${repo}/objects/pack/pack-`
    const unsafe = [...made].find(
      ([each, { named }]) => !named && each.startsWith(heir) && !safe.has(each),
    )
    if (repo && unsafe)
      early.add(`${short(unsafe[0])} is not synced when ${path.slice(repo.length + 1)} is removed`)
  }

  const sync = (path: string) => {
    const file = made.get(path)
    if (file) file.written = true
    for (const [each, state] of made) {
      if (dirname(each) !== path) continue
      state.named = true
      safe.add(each)
    }
  }

  const apply = (call: string) => {
    const paths = [...call.matchAll(/"([^"]*)"/g)].map(([, path]) => path!)
    const name = call.slice(0, call.indexOf('('))
    if (name === 'fsync' || name === 'fdatasync')
      sync(/<(.*)>/.exec(call)![1]!.replace(/ \(deleted\)$/, ''))
    else if (name === 'openat' && /O_CREAT/.test(call) && /O_EXCL/.test(call)) {
      if (within(paths[0]!)) made.set(paths[0]!, { named: false, written: false })
    } else if (name.startsWith('mkdir')) {
      if (within(paths[0]!)) made.set(paths[0]!, { named: false, written: true })
    } else if (name.startsWith('rename')) move(paths[0]!, paths[1]!, false)
    else if (name.startsWith('link')) move(paths[0]!, paths[1]!, true)
    else if (/^(unlink|rmdir)/.test(name)) remove(paths[0]!)
  }

  return {
    take: line => {
      const call = whole(line, begun)
      if (!call) return undefined
      const answer = /^(?:write|writev|sendto|sendmsg)\(.*?"HTTP\/1\.1 (\d{3})/.exec(call)?.[1]
      if (answer) return Number(answer)
      if (/\) += \d/.test(call)) apply(call)
      return undefined
    },
    list: () =>
      [...made].flatMap(([path, { named, written }]) => {
        const about = short(path)
        return [
          ...(named ? [] : [`the name ${about} is not synced`]),
          ...(written ? [] : [`the content of ${about} is not synced`]),
        ]
      }),
    early: () => [...early],
  }
}

/** strace splits a call that another one interrupts into two parts. */
function whole(line: string, begun: Map<string, string>): string | undefined {
  const [, pid, text] = /^(\d+) +(.*)$/.exec(line) ?? []
  if (!pid || !text) return undefined

  if (text.endsWith('<unfinished ...>')) {
    begun.set(pid, text.slice(0, -'<unfinished ...>'.length))
    return undefined
  }

  const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)
  if (!resumed) return text

  const first = begun.get(pid) ?? ''

  begun.delete(pid)

  return first + resumed[1]
}
