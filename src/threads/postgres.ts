import { workerData } from 'node:worker_threads'
import type { Settings } from '../store/engine/postgres/messages.ts'
import { Server } from '../store/engine/postgres/serve.ts'

new Server(workerData as Settings)
