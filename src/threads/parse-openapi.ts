import { parentPort, workerData } from 'node:worker_threads'
import { type ReadInput, readDescription } from '../content/description-read.ts'

parentPort?.postMessage(await readDescription(workerData as ReadInput))
