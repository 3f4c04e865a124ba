import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { listIntents } from '../../src/store/git/intents.ts'
import type { App } from '../support/app.ts'
import { skip } from '../support/skip.ts'

/** The steps of a write at which another program fills the disk. */
export const moments = ['objects', 'journal', 'refs', 'rows'] as const
export type Moment = (typeof moments)[number]

/**
 * Runs a test with a folder on a disk of its own, e.g. of "160m"; skips it where none can be
 * mounted.
 */
export async function onSmallDisk(
  size: string,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'stemma-full-'))
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'none', folder]).status !== 0) {
    rmSync(folder, { recursive: true })
    return skip('mounting a small disk needs root')
  }

  try {
    await work(folder)
  } finally {
    execFileSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true })
  }
}

/** Fills a disk to its last byte. Returns a function that makes room again. */
export function fill(folder: string): () => void {
  const file = join(folder, 'filler')
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=1M'])
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=512', 'conv=notrunc', 'oflag=append'])
  return () => rmSync(file, { force: true })
}

/**
 * Fills the disk of a server at this moment of its next write. Returns a function that undoes this.
 */
export function fillAt({ ctx }: App, moment: Moment): () => void {
  const { store, locks, config } = ctx
  const [transact, run] = [store.transact.bind(store), locks.run.bind(locks)]
  let empty: (() => void) | undefined
  const now = () => {
    empty ??= fill(config.dataDir)
  }
  let isLocked = false
  const isBegun = () => listIntents(store).length > 0

  Object.assign(store, {
    transact: (work: () => unknown) => {
      if ((moment === 'journal' && isLocked) || (moment === 'rows' && isBegun())) now()
      const result = transact(work)
      if (moment === 'refs' && isBegun()) now()
      return result
    },
  })

  Object.assign(locks, {
    run: (name: string, work: () => Promise<unknown>) =>
      run(name, () => {
        isLocked = true
        if (moment === 'objects') now()
        return work()
      }),
  })

  return () => {
    Object.assign(store, { transact })
    Object.assign(locks, { run })
    assert.ok(empty, `the write never reached "${moment}"`)
    empty()
  }
}
