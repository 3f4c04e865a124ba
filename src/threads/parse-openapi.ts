import { parentPort, workerData } from 'node:worker_threads'
import { type ReadInput, readDescription } from '../content/openapi/read.ts'

const output = readDescription(workerData as ReadInput)
// What may be tens of megabytes is handed over, not copied.
parentPort?.postMessage(output, output.result === 'read' ? [output.pieces.buffer] : [])
