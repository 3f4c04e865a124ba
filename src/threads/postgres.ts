import { workerData } from 'node:worker_threads'
import { AsyncServer } from '../store/engine/postgres/async-server.ts'
import type { Settings } from '../store/engine/postgres/messages.ts'
import { Server } from '../store/engine/postgres/serve.ts'

const settings = workerData as Settings
const servers = [
  new Server(settings, settings.now, true),
  new Server(settings, settings.beside, false),
]
// What waits for the other connections need not find out by itself.
new AsyncServer(settings, () => {
  for (const server of servers) server.reset()
})
