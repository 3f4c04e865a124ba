import { routes } from '../../http/endpoint.ts'

export const webhookRoutes = routes({})
