import { parentPort, workerData } from 'node:worker_threads'
import { type ReadInput, readSpec } from '../content/openapi/read.ts'

const output = readSpec(workerData as ReadInput)
// The pieces may be tens of megabytes: transferred, not copied.
parentPort?.postMessage(output, output.result === 'read' ? [output.pieces.buffer] : [])
