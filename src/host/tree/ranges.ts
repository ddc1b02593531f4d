/** Rows shown at once below one row; more fold into ranges. */
export const MOST_ROWS = 50;

/** How many messages one row of a range stands for. */
export const chunkOf = (count: number): number => Math.max(MOST_ROWS, Math.ceil(count / MOST_ROWS));
