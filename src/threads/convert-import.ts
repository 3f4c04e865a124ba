import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { blobId } from '../content/edit/draft.ts'
import { convertImport } from '../content/importing/convert.ts'
import type { ImportLimits } from '../content/importing/zip-file.ts'

/** `files` are on the disk; `folder` takes those that become files of the space. */
type Input = {
  files: readonly { name: string; path: string }[]
  folder: string
  limits: ImportLimits
  prefix: string
  into: string | null
}

const { files, folder, ...options } = workerData as Input
let kept = 0

const converted = await convertImport(
  files.map(({ name, path }) => ({ name, read: () => readFileSync(path) })),
  {
    ...options,
    keep: bytes => {
      const path = join(folder, String(kept++))
      writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 })
      return { oid: blobId(bytes), size: bytes.length, path }
    },
  },
)
parentPort?.postMessage(converted)
