import { parentPort, workerData } from 'node:worker_threads'
import { signedAssertion, type ToVerify } from '../sso/signed-assertion.ts'

parentPort?.postMessage(await signedAssertion(workerData as ToVerify))
