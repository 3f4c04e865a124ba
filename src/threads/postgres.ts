import { workerData } from 'node:worker_threads'
import { AsyncServer } from '../store/engine/postgres/async-server.ts'
import type { Settings } from '../store/engine/postgres/messages.ts'
import { Server } from '../store/engine/postgres/serve.ts'

const server = new Server(workerData as Settings)
// What waits for the other connection need not find out by itself.
new AsyncServer(workerData as Settings, () => server.reset())
