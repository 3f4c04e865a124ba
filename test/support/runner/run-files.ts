import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { configureGlobal } from 'fast-check'
import type { exec as Exec } from 'uvu'
import { keepLauncher } from '../../../src/git/process/launcher.ts'
import { collectGarbage, cpuTime, cpuTimeOfChildren } from '../cpu-time.ts'
import { runs } from '../long-run.ts'

/**
 * A process that runs test files one after another, as requested by its parent: loading the program
 * takes longer than most test files. It prints a line when a file is done, on stdout, so that the
 * line follows the file's own output.
 */
type Queue = { UVU_DEFER?: number; UVU_INDEX?: number; UVU_QUEUE?: unknown[][] }

/** The start of the line that reports a finished file. */
export const doneMark = '\u0001done '

const queue = globalThis as Queue
queue.UVU_DEFER = 1

async function runFile(file: string): Promise<void> {
  const { exec } = (await import('uvu')) as unknown as { exec: typeof Exec }
  queue.UVU_QUEUE = [[null]]
  queue.UVU_INDEX = 0
  process.exitCode = 0
  await import(pathToFileURL(file).href)
  await exec()
}

configureGlobal({
  // Report the error too, not only the failing input of a property.
  includeErrorInReport: true,
  // Each commit tries other inputs, the same ones each time.
  seed: Number(process.env.TEST_SEED),
  numRuns: runs(100),
})

/** A process that holds more than this collects its garbage between two files. */
const manyBytes = 600 * 1024 * 1024

/** Processor time of this process and of its children, where the system reports it. */
const cpuUsed = () => cpuTime() + cpuTimeOfChildren()

if (process.send) {
  // A fork of this process takes long: it holds hundreds of megabytes.
  process.once('exit', keepLauncher())
  process.on('disconnect', () => process.exit())
  process.on('message', async (file: string) => {
    let failed = false
    const before = cpuUsed()
    try {
      await runFile(file)
    } catch (error) {
      failed = true
      console.log(error)
    }

    failed ||= process.exitCode !== 0
    process.exitCode = 0
    const cpuMs = Math.round(cpuUsed() - before)

    if (process.memoryUsage.rss() > manyBytes) {
      collectGarbage()
      // The pages of what was collected are given back by another thread.
      await setTimeout(100)
    }
    const rss = process.memoryUsage.rss()
    console.log(`\n${doneMark}${JSON.stringify({ failed, rss, cpuMs })}`)
  })
}
