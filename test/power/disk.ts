import { execFile, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * A separate disk mounted at a folder: ext4 on a loop device over a file. The file holds what has
 * reached the disk; data that is only in the memory of the mounted file system is not in it, and is
 * lost in a power cut.
 */
export type Disk = {
  /** Copies the current state of the disk to a new file. All writers must be stopped. */
  copy: () => Promise<string>
  /** Unmounts the disk, discarding everything in memory, and mounts this file in its place. */
  replace: (file: string) => Promise<void>
  /** The number of copies repeated because the device took a write meanwhile. */
  again: () => number
}

/**
 * Prevents the kernel from writing anything that no program waits for: Linux would write the rest
 * after some seconds and would repair a rename over an unsynced file, which would hide a missing
 * sync.
 */
const mountOptions = 'loop,noatime,commit=600,noauto_da_alloc'
const sizeBytes = 1024 * 1024 * 1024
const mostTries = 20

/** Creates a disk and mounts it. Throws if the machine does not permit this. */
export async function openDisk(folder: string, mountPoint: string): Promise<Disk> {
  let last = 0
  let again = 0
  const next = () => join(folder, `disk-${++last}.img`)
  let file = next()

  await run('truncate', ['-s', String(sizeBytes), file])

  // Nothing is left for the kernel to initialise later, which would cause writes to the device.
  const options = ['-q', '-F', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0,nodiscard']

  await run('mkfs.ext4', [...options, file])
  const mount = async () => {
    await run('mount', ['-t', 'ext4', '-o', mountOptions, file, mountPoint])
    rmSync(join(mountPoint, 'lost+found'), { recursive: true, force: true })
  }

  await mount()

  return {
    again: () => again,
    copy: async () => {
      const device = deviceOf(mountPoint)
      const made = next()
      for (let tries = 0; tries < mostTries; tries++) {
        const before = writesOf(device)
        await run('cp', ['--sparse=always', file, made])
        // A copy counts only if nothing was written from its beginning to its end.
        if (!before.busy && writesOf(device).count === before.count) return made
        again++
        await new Promise(resolve => setTimeout(resolve, 20))
      }

      throw new Error(`${device} is never idle.`)
    },
    replace: async by => {
      await unmount(mountPoint)
      rmSync(file)
      file = by
      await mount()
    },
  }
}

/** The name of the block device mounted at a folder, e.g. `loop0`. */
function deviceOf(mountPoint: string): string {
  const line = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .find(each => each.split(' ')[1] === mountPoint)
  const device = /^\/dev\/(loop\d+) /.exec(line ?? '')?.[1]
  if (!device) throw new Error(`No loop device is mounted at ${mountPoint}.`)
  return device
}

/** The number of writes and flushes of a device, and whether one is in progress. */
function writesOf(device: string): { count: string; busy: boolean } {
  const fields = readFileSync(`/sys/block/${device}/stat`, 'utf8').trim().split(/\s+/)
  return { count: `${fields[4]} ${fields[6]} ${fields[15]}`, busy: fields[8] !== '0' }
}

/** Killed processes may hold files open for a moment. */
async function unmount(mountPoint: string): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await run('umount', [mountPoint])
      return
    } catch (error) {
      if (tries === 100) throw error
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}

/** Unmounts whatever is mounted at a folder. Synchronous, for an exit handler. */
export function unmountNow(mountPoint: string): void {
  const isMounted = () => {
    const above = statSync(join(mountPoint, '..'), { throwIfNoEntry: false })
    return above !== undefined && statSync(mountPoint).dev !== above.dev
  }
  for (let tries = 0; tries < 40 && isMounted(); tries++) {
    const lazily = tries < 39 ? [] : ['-l']
    if (spawnSync('umount', [...lazily, mountPoint]).status !== 0)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
}
