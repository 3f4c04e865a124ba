import { workerData } from 'node:worker_threads'
import { AsyncServer } from '../store/engine/postgres/async-server.ts'
import type { Settings } from '../store/engine/postgres/messages.ts'
import { Server } from '../store/engine/postgres/serve.ts'

new Server(workerData as Settings)
new AsyncServer(workerData as Settings)
