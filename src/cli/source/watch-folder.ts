import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Beside } from './find-project.ts'
import { isLeftOut } from './left-out.ts'

/**
 * How long a folder must be quiet before a change is reported, in milliseconds; and the longest
 * delay.
 */
const quietMs = 100
const longestMs = 500

/** Returns what is beside a folder at present. */
type ListBeside = () => readonly Beside[]

/** The watch of a folder. */
export type FolderWatch = {
  /** Resolves as soon as something has changed since the last call; false after `end`. */
  changed: () => Promise<boolean>
  /** Reports a change that did not happen, e.g. to try again. */
  touch: () => void
  end: () => void
}

/**
 * Watches a folder, all folders in it and what is or was beside it, apart from what is left out.
 * Every folder has a watch of its own: Node's recursive one watches `node_modules` as well.
 */
export async function watchFolder(root: string, beside: ListBeside): Promise<FolderWatch> {
  const watchers = new Map<string, FSWatcher>()
  const around = besideSoFar(beside)
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

  const follow = async () => {
    const folders = new Set([...(await foldersOf(root)), ...(await around())])
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of folders) if (!watchers.has(folder) && !ended) open(folder)
  }

  const open = (folder: string) => {
    try {
      const watcher = watch(folder, onEvent)
      watchers.set(folder, watcher)
      watcher.on('error', () => {
        watcher.close()
        watchers.delete(folder)
        onEvent()
      })
    } catch {
      // Deleted since it was listed: the watch of the folder around it reports that.
    }
  }

  await follow()

  return {
    changed: async () => {
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

/**
 * Returns a function that lists the folders of what is or was beside a folder, with those around
 * them: what was deleted may come back.
 */
function besideSoFar(beside: ListBeside): () => Promise<string[]> {
  const known = new Map<string, Beside>()
  return async () => {
    for (const each of beside()) known.set(each.file, each)
    const folders = [...known.values()].map(async ({ path, file }) => [
      dirname(join(file, '.')),
      ...(path.endsWith('/') ? await foldersOf(file) : []),
    ])
    return (await Promise.all(folders)).flat()
  }
}

async function foldersOf(root: string, inner = ''): Promise<string[]> {
  const folder = join(root, inner)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = entries
    .filter(entry => entry.isDirectory() && !isLeftOut(inner + entry.name))
    .map(entry => foldersOf(root, `${inner}${entry.name}/`))
  return [folder, ...(await Promise.all(below)).flat()]
}
