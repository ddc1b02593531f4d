import * as v from 'valibot';
import { chartRequestSchema, type ChartAnswer, type ChartRequest } from '../protocol/chart.ts';

declare function acquireVsCodeApi(): { postMessage(message: ChartAnswer): void };

const host = acquireVsCodeApi();

/** Draws an SVG on a canvas and gives the PNG. Nothing is loaded: the drawing is in its own address. */
async function draw({ svg, width, height }: ChartRequest): Promise<string> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas to draw on');
  context.drawImage(image, 0, 0, width, height);
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}

window.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  const request = v.safeParse(chartRequestSchema, data);
  if (!request.success) return;
  const { id } = request.output;
  draw(request.output).then(
    (base64) => host.postMessage({ type: 'drawn', id, base64 }),
    (error: unknown) => host.postMessage({ type: 'failed', id, reason: String(error).slice(0, 1_000) }),
  );
});
host.postMessage({ type: 'ready' });
