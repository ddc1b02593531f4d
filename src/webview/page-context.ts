import { page } from './page-instance.ts';

export const usePage = () => page;
