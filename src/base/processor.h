/* processor.h: levels of processors that kernels are compiled for. Results do not depend on them. */
#ifndef SS_BASE_PROCESSOR_H
#define SS_BASE_PROCESSOR_H

/* x86-64-v2, with vectors of two numbers; v3, of four; v4, of eight. Other processors count as v2. */
typedef enum ss_processor { SS_PROCESSOR_V2, SS_PROCESSOR_V3, SS_PROCESSOR_V4 } ss_processor;

/* The level of this machine, or a lower one that the variable STICKSLIP_PROCESSOR of the environment asks for: v2 or v3. */
ss_processor ss_processor_level(void);

#endif
