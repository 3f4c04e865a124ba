import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isLeftOut } from './left-out.ts'

/**
 * How long a folder must be quiet before a change is reported, in milliseconds; and the longest
 * delay.
 */
const quietMs = 100
const longestMs = 500

/** Returns the files and, with a slash, folders beside a folder that count if they are there. */
type ListBeside = () => readonly string[]

/** The names that count in a folder; undefined: all of them. */
type Names = Set<string> | undefined

/** The watch of a folder. */
export type FolderWatch = {
  /** Resolves as soon as something has changed since the last call; false after `end`. */
  changed: () => Promise<boolean>
  /** Reports a change that did not happen, e.g. to try again. */
  touch: () => void
  end: () => void
}

/**
 * Watches a folder, all folders in it and what is beside it, now or later, apart from what is left
 * out. Every folder has a watch of its own: Node's recursive one watches `node_modules` as well.
 */
export async function watchFolder(root: string, beside: ListBeside): Promise<FolderWatch> {
  const watchers = new Map<string, FSWatcher>()
  let folders = new Map<string, Names>()
  let [first, ended] = [0, false]
  let timer: NodeJS.Timeout | undefined
  let [isChanged, notify] = [false, () => {}]
  const report = () => {
    first = 0
    isChanged = true
    notify()
  }

  const onEvent = () => {
    const now = Date.now()
    first ||= now
    clearTimeout(timer)
    timer = setTimeout(report, Math.max(0, Math.min(quietMs, first + longestMs - now)))
  }

  /** Watches the folders that are there now. Returns whether some are new. */
  const follow = async () => {
    folders = await foldersBeside(beside())
    for (const folder of await foldersOf(root)) folders.set(folder, undefined)
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    const fresh = [...folders.keys()].filter(folder => !watchers.has(folder) && !ended)
    return fresh.map(open).includes(true)
  }

  const open = (folder: string) => {
    const watcher = watchOne(folder, () => folders.get(folder), onEvent)
    if (!watcher) return false
    watchers.set(folder, watcher)
    watcher.on('error', () => {
      watcher.close()
      watchers.delete(folder)
      onEvent()
    })
    return true
  }

  await follow()

  return {
    changed: async () => {
      // What the last reading found beside the folder may have changed since.
      if (!ended && (await follow())) isChanged = true
      if (!isChanged && !ended)
        await new Promise<void>(resolve => {
          notify = resolve
        })
      isChanged = false
      // New folders are watched before their files are read, so that no change is missed.
      if (!ended) await follow()
      return !ended
    },
    touch: report,
    end: () => {
      ended = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      notify()
    },
  }
}

/** Watches a folder for changes of these names. Returns undefined if it is gone. */
function watchOne(folder: string, names: () => Names, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(folder, (_, name) => {
      if (name === null || (names()?.has(name) ?? true)) onEvent()
    })
  } catch {
    // Deleted since it was listed: the watch of the folder around it reports that.
    return undefined
  }
}

/**
 * Returns the folders around files and folders that may be there, with their names, and all folders
 * in those that are.
 */
async function foldersBeside(paths: readonly string[]): Promise<Map<string, Names>> {
  const found = new Map<string, Names>()
  for (const path of paths) {
    const file = join(path, '.')
    const names = found.get(dirname(file)) ?? new Set()
    found.set(dirname(file), names.add(basename(file)))
  }

  for (const path of paths) {
    // A symbolic link may lead anywhere.
    if (!path.endsWith('/')) continue
    const stats = await lstat(join(path, '.')).catch(() => undefined)
    if (!stats?.isDirectory()) continue
    for (const folder of await foldersOf(path)) found.set(folder, undefined)
  }

  return found
}

async function foldersOf(root: string, inner = ''): Promise<string[]> {
  const folder = join(root, inner)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = entries
    .filter(entry => entry.isDirectory() && !isLeftOut(inner + entry.name))
    .map(entry => foldersOf(root, `${inner}${entry.name}/`))
  return [folder, ...(await Promise.all(below)).flat()]
}
