import { parentPort, workerData } from 'node:worker_threads'
import { compareSync } from 'bcryptjs'

parentPort?.postMessage(compareSync(workerData.password, workerData.stored))
