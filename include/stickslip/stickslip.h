/* stickslip.h: all of stickslip. */
#ifndef STICKSLIP_STICKSLIP_H
#define STICKSLIP_STICKSLIP_H

#include <stickslip/active_set.h>
#include <stickslip/analysis.h>
#include <stickslip/base.h>
#include <stickslip/expression.h>
#include <stickslip/impact.h>
#include <stickslip/import.h>
#include <stickslip/inclusion.h>
#include <stickslip/model.h>
#include <stickslip/options.h>
#include <stickslip/problem.h>
#include <stickslip/record.h>
#include <stickslip/scene.h>
#include <stickslip/scheme.h>
#include <stickslip/set.h>
#include <stickslip/shape.h>
#include <stickslip/simulation.h>
#include <stickslip/solver.h>

#endif
